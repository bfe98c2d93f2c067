# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
"""Solves a flowshop and a knapsack, and prints what was found."""
import copra

shop = copra.flowshop([[5, 9, 9, 4], [5, 3, 4, 8], [3, 4, 8, 8]])  # times[machine][job]
result = copra.solve(shop)
print("flowshop:", result.status, result.objective, "order", result.solution)

items = copra.knapsack(profits=[60, 100, 120, 30], weights=[10, 20, 30, 5], capacity=50)
result = copra.solve(items)
print("knapsack:", result.status, result.objective, "items", result.solution)
