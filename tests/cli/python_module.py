# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests the Python module of an installed libcopra. usage: PYTHONPATH=... python3 python_module.py"""
import ctypes
import itertools
import os
import random
import signal
import threading
import time
import unittest

import copra


def makespan(times, order):
    front = [0] * len(times)
    for job in order:
        before = 0
        for k, row in enumerate(times):
            before = front[k] = max(front[k], before) + row[job]
    return front[-1]


class Solvers(unittest.TestCase):
    def check(self, instance, want, result):
        self.assertEqual(result.status, "optimal")
        self.assertEqual(result.objective, want)
        self.assertEqual(result.bound, want)
        self.assertTrue(result.verified)
        self.assertEqual(instance.evaluate(result.solution), want)

    def test_flowshops_equal_brute_force(self):
        draw = random.Random(1)
        for jobs, machines in ((5, 3), (6, 2), (7, 4)):
            times = [[draw.randrange(1, 60) for _ in range(jobs)] for _ in range(machines)]
            want = min(makespan(times, p) for p in itertools.permutations(range(jobs)))
            shop = copra.flowshop(times)
            for bound in ("lb1", "lb2"):
                self.check(shop, want, copra.solve(shop, device="cpu", bound=bound, threads=2))

    def test_knapsacks_equal_brute_force(self):
        draw = random.Random(2)
        for n in (1, 5, 12):
            profit = [draw.randrange(100) for _ in range(n)]
            weight = [draw.randrange(1, 50) for _ in range(n)]
            room = sum(weight) // 2
            want = max(sum(p for p, x in zip(profit, bits) if x)
                       for bits in itertools.product((0, 1), repeat=n)
                       if sum(w for w, x in zip(weight, bits) if x) <= room)
            items = copra.knapsack(profit, weight, room)
            self.check(items, want, copra.solve(items, device="cpu"))

    def test_tours_equal_brute_force(self):
        draw = random.Random(3)
        n = 7
        cost = [[draw.randrange(1, 99) for _ in range(n)] for _ in range(n)]
        tours = ((0, *p) for p in itertools.permutations(range(1, n)))
        want = min(sum(cost[t[i]][t[(i + 1) % n]] for i in range(n)) for t in tours)
        cities = copra.atsp(cost)
        self.check(cities, want, copra.solve(cities, device="cpu"))

    def test_queens_are_counted(self):
        for n, want in ((1, 1), (4, 2), (6, 4), (8, 92), (10, 724)):
            result = copra.solve(copra.queens(n), device="cpu")
            self.assertEqual((result.status, result.objective), ("counted", want))
            self.assertIsNone(result.solution)

    def test_landscapes_are_solved(self):
        trap = copra.load("trap5:30")
        self.assertEqual((trap.problem, trap.size), ("trap5", 30))
        result = copra.solve(trap, device="cpu", population=1024, seed=7)
        self.check(trap, 30, result)
        self.assertEqual(result.solution, [1] * 30)

    def test_a_simulated_device_gives_the_same_answer(self):
        with copra.load("random:6x3:40") as shop:
            host, device = copra.solve(shop, device="cpu"), copra.solve(shop, device="sim")
        self.assertEqual(host.objective, device.objective)

    def test_a_search_from_the_optimum_proves_it(self):
        times = [[3, 1, 2, 9], [2, 4, 1, 5]]
        want = min(makespan(times, p) for p in itertools.permutations(range(4)))
        result = copra.solve(copra.flowshop(times), device="cpu", ub=want - 1)
        self.assertEqual((result.status, result.objective), ("proved", None))

    def test_a_time_limit_leaves_a_partial_result(self):
        with copra.load("ta051") as shop:
            result = copra.solve(shop, device="cpu", time_limit=0.3)
            self.assertEqual(result.status, "limit")
            self.assertLess(result.bound, result.objective)
            self.assertEqual(shop.evaluate(result.solution), result.objective)

    def test_a_keyboard_interrupt_stops_the_search(self):
        with copra.load("ta051") as shop:
            timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
            began = time.monotonic()
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                copra.solve(shop, device="cpu", time_limit=30)
            self.assertLess(time.monotonic() - began, 10)
            self.assertEqual(copra.solve(copra.queens(6), device="cpu").objective, 4)


class Errors(unittest.TestCase):
    def refused(self, words, function, *arguments, **settings):
        with self.assertRaisesRegex(copra.Error, words):
            function(*arguments, **settings)

    def test_bad_arguments_are_refused_in_one_line(self):
        small = copra.queens(4)
        self.refused("no setting is named 'speed'", copra.solve, small, speed=1)
        self.refused("threads: 'x' is not an integer", copra.solve, small, threads="x")
        self.refused("bound: 'lb3' is not a value", copra.solve, small, bound="lb3")
        self.refused("nosuchfile", copra.load, "nosuchfile")
        self.refused("1 to 26", copra.queens, 27)
        self.refused("negative", copra.knapsack, [1], [-1], 5)
        self.refused("negative", copra.flowshop, [[1, -2]])
        self.refused("1..1000", copra.flowshop, [[]])
        self.refused("no objective", small.evaluate, [0, 1, 2, 3])
        self.refused("not an order", copra.flowshop([[1, 2]]).evaluate, [0, 0])
        self.refused("weigh", copra.knapsack([1, 1], [5, 5], 6).evaluate, [0, 1])
        self.refused("device", copra.solve, small, device="cuda:15")

    def test_an_ambiguous_file_names_both_problems(self):
        with open("ambiguous.txt", "w") as f:
            f.write("3 1\n0 5\n0 6\n0 7\n")
        self.refused("knapsack or a flowshop", copra.load, "ambiguous.txt")
        self.assertEqual(copra.load("ambiguous.txt", problem="flowshop").size, 3)


class Interface(unittest.TestCase):
    """The functions of the library without the module's own checks."""

    def test_the_stop_flag_is_named_as_the_cause(self):
        error, settings, result = copra._CError(), ctypes.c_void_p(), ctypes.c_void_p()
        stop = ctypes.c_int(1)
        lib = copra._lib
        with copra.load("ta051") as shop:
            lib.copra_settings_create(ctypes.byref(settings), None)
            lib.copra_settings_set(settings, b"device", b"cpu", None)
            lib.copra_settings_stop(settings, ctypes.byref(stop))
            status = lib.copra_solve(ctypes.byref(result), shop._handle, settings, ctypes.byref(error))
            lib.copra_result_destroy(result)
            lib.copra_settings_destroy(settings)
        self.assertEqual(status, -4)
        self.assertRegex(error.text.decode(), "^stopped by the stop flag after [0-9.e-]+ s$")

    def test_missing_arguments_are_errors(self):
        lib, out = copra._lib, ctypes.c_void_p()
        one, i64, i32 = copra.queens(1), (ctypes.c_int64 * 1)(), (ctypes.c_int32 * 4)()
        settings = copra._Settings({})
        calls = {
            "name_or_file": lambda e: lib.copra_instance_load(ctypes.byref(out), None, None, e),
            "profit": lambda e: lib.copra_knapsack_create(ctypes.byref(out), 1, None, i64, 1, e),
            "weight": lambda e: lib.copra_knapsack_create(ctypes.byref(out), 1, i64, None, 1, e),
            "time": lambda e: lib.copra_flowshop_create(ctypes.byref(out), 2, 2, None, e),
            "cost": lambda e: lib.copra_atsp_create(ctypes.byref(out), 2, None, e),
            "solution": lambda e: lib.copra_evaluate(one._handle, None, 1, i64, e),
            "instance": lambda e: lib.copra_solve(ctypes.byref(out), None, None, e),
            "settings": lambda e: lib.copra_settings_set(None, b"seed", b"1", e),
            "key": lambda e: lib.copra_settings_set(settings.handle, None, b"1", e),
            "value": lambda e: lib.copra_settings_set(settings.handle, b"seed", None, e),
            "domain": lambda e: lib.copra_tracker_create(ctypes.byref(out), None, None, e),
        }
        for what, call in calls.items():
            error = copra._CError()
            self.assertEqual(call(ctypes.byref(error)), -2, what)
            self.assertEqual(error.text.decode(), what + " is NULL")
            self.assertIsNone(out.value)
        self.assertEqual(lib.copra_flowshop_create(ctypes.byref(out), 1, 1, i32, None), 0)
        lib.copra_instance_destroy(out)


class Heaps(ctypes.Structure):
    _fields_ = [("placed", ctypes.c_int32), ("difference", ctypes.c_int32), ("sign", ctypes.c_int32)]


class Recovery(unittest.TestCase):
    numbers = [7, 12, 28, 5, 41, 9, 33]

    def tracker(self, **settings):
        def execute(state, _step):
            if state.placed < len(self.numbers):
                state.difference += state.sign * self.numbers[state.placed]
                state.placed += 1
            return True

        def assign(state, step):
            second = step.successor == 1 if step.step == 0 else state.difference > 0
            state.sign = -1 if second else 1

        return copra.Tracker(Heaps, execute, assign, lambda s: abs(s.difference),
                             lambda s: 2 if s.placed < len(self.numbers) else 0, **settings)

    def test_a_wide_beam_finds_the_best_split(self):
        want = min(abs(sum(s * n for s, n in zip(signs, self.numbers)))
                   for signs in itertools.product((1, -1), repeat=len(self.numbers)))
        with self.tracker(beam=128, slots=256) as t:
            t.begin([Heaps(0, 0, 1)])
            while t.iterate():
                pass
            layer = len(self.numbers)
            nodes = [(layer, slot) for slot in range(t.layer_count(layer))]
            self.assertEqual(len(nodes), 2 ** layer)
            self.assertEqual(min(t.history(*n)[2] for n in nodes), want)
            for node, state in zip(nodes, t.recover(nodes)):  # against a replay here
                choices = []
                while node[0]:
                    node, successor, _ = t.history(*node)
                    choices.insert(0, successor)
                signs = [-1 if choice else 1 for choice in choices]
                self.assertEqual(state.difference,
                                 sum(s * n for s, n in zip(signs, self.numbers)))

    def test_a_search_continues_from_any_layer(self):
        with self.tracker(beam=4, slots=8, recovery="checkpoint", distance=2) as t:
            t.begin([Heaps(0, 0, 1)])
            for _ in range(5):
                t.iterate()
            t.backtrack([(2, 0), (3, 1)])
            self.assertEqual((t.layer, t.count), (6, 2))
            self.assertEqual([s.placed for s in t.recover([(6, 0), (6, 1)])], [2, 3])
            with self.assertRaisesRegex(copra.Error, "layer 9 has no state 0"):
                t.recover([(9, 0)])

    def test_errors_of_a_domain_are_raised(self):
        t = copra.Tracker(Heaps, lambda s, at: 1 // 0, lambda s, at: None, lambda s: 0, lambda s: 2,
                          beam=2, slots=4)
        t.begin([Heaps()])
        with self.assertRaises(ZeroDivisionError):
            t.iterate()

    def test_trackers_refuse_bad_settings(self):
        with self.assertRaisesRegex(copra.Error, "beam <= slots"):
            self.tracker(beam=8, slots=4)
        t = self.tracker(beam=8, slots=16)
        with self.assertRaisesRegex(copra.Error, "not begun"):
            t.iterate()
        with self.assertRaisesRegex(copra.Error, "between 1 and the beam"):
            t.begin([Heaps()] * 9)


if __name__ == "__main__":
    unittest.main()
