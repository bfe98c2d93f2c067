# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause
"""copra for Python: solvers, instance readers and the recovery engine of libcopra, through ctypes.

    import copra
    result = copra.solve(copra.flowshop([[3, 1, 2], [2, 4, 1]]))   # time[machine][job]
    print(result.status, result.objective, result.solution)

    with copra.load("ta001") as instance:                          # or a file; problem="maxsat"
        print(copra.solve(instance, time_limit=10, threads=2))

The settings are those of copra.h, with '_' for '-'. The library is the file that COPRA_LIBRARY names,
else the installed one that belongs to this file, else libcopra.so.2 of the system.
"""
import ctypes as c
import os
import threading
from pathlib import Path

__all__ = ["Error", "LimitError", "Instance", "Result", "Tracker", "load", "knapsack", "flowshop",
           "atsp", "queens", "solve", "version"]

_SONAME = "libcopra.so.2"


def _library():
    given = os.environ.get("COPRA_LIBRARY")
    if given:
        return c.CDLL(given)
    for folder in Path(__file__).resolve().parents:  # PREFIX/share/copra/python, PREFIX/lib/python3/...
        for path in (folder / "lib" / _SONAME, folder / "lib64" / _SONAME):
            if path.exists():
                return c.CDLL(str(path))
    return c.CDLL(_SONAME)


class _CError(c.Structure):
    _fields_ = [("code", c.c_int), ("text", c.c_char * 512)]


class _Node(c.Structure):
    _fields_ = [("layer", c.c_uint32), ("slot", c.c_uint32)]


class Step(c.Structure):
    """The point of the search at which a function of a domain is called; see copra_step in copra.h."""
    _fields_ = [("seed", c.c_uint64), ("layer", c.c_uint32), ("source", c.c_uint32),
                ("successor", c.c_uint32), ("step", c.c_uint32), ("phase", c.c_uint32)]

    def random(self, draw=0):
        """A random 32-bit word: the same for the same step and draw."""
        return _lib.copra_random(c.byref(self), draw)


_EXECUTE = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_void_p, c.POINTER(Step))
_ASSIGN = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p, c.POINTER(Step))
_RATE = c.CFUNCTYPE(c.c_uint32, c.c_void_p, c.c_void_p)
_SUCCESSOR = c.CFUNCTYPE(c.c_uint32, c.c_void_p, c.c_void_p, c.c_uint32)


class _Domain(c.Structure):
    _fields_ = [("state_bytes", c.c_size_t), ("context", c.c_void_p), ("execute", _EXECUTE),
                ("assign", _ASSIGN), ("rate", _RATE), ("expand", _RATE), ("successor", _SUCCESSOR)]


_P = c.c_void_p  # opaque objects
_E = c.POINTER(_CError)
_I64 = c.POINTER(c.c_int64)
_I32 = c.POINTER(c.c_int32)
_U32 = c.POINTER(c.c_uint32)
_PROTOTYPES = {  # name: (result, arguments)
    "copra_version": (c.c_char_p, []),
    "copra_instance_load": (c.c_int, [c.POINTER(_P), c.c_char_p, c.c_char_p, _E]),
    "copra_knapsack_create": (c.c_int, [c.POINTER(_P), c.c_int64, _I64, _I64, c.c_int64, _E]),
    "copra_flowshop_create": (c.c_int, [c.POINTER(_P), c.c_int, c.c_int, _I32, _E]),
    "copra_atsp_create": (c.c_int, [c.POINTER(_P), c.c_int, _I32, _E]),
    "copra_queens_create": (c.c_int, [c.POINTER(_P), c.c_int, _E]),
    "copra_instance_destroy": (None, [_P]),
    "copra_instance_problem": (c.c_char_p, [_P]),
    "copra_instance_name": (c.c_char_p, [_P]),
    "copra_instance_size": (c.c_int64, [_P]),
    "copra_evaluate": (c.c_int, [_P, _I64, c.c_size_t, _I64, _E]),
    "copra_settings_create": (c.c_int, [c.POINTER(_P), _E]),
    "copra_settings_set": (c.c_int, [_P, c.c_char_p, c.c_char_p, _E]),
    "copra_settings_stop": (None, [_P, _P]),
    "copra_settings_destroy": (None, [_P]),
    "copra_solve": (c.c_int, [c.POINTER(_P), _P, _P, _E]),
    "copra_result_destroy": (None, [_P]),
    "copra_result_status": (c.c_int, [_P]),
    "copra_status_name": (c.c_char_p, [c.c_int]),
    "copra_result_has_objective": (c.c_int, [_P]),
    "copra_result_objective": (c.c_int64, [_P]),
    "copra_result_has_bound": (c.c_int, [_P]),
    "copra_result_bound": (c.c_int64, [_P]),
    "copra_result_solution": (_I64, [_P, c.POINTER(c.c_size_t)]),
    "copra_result_verified": (c.c_int, [_P]),
    "copra_result_seconds": (c.c_double, [_P]),
    "copra_result_number": (c.c_double, [_P, c.c_char_p]),
    "copra_random": (c.c_uint32, [c.POINTER(Step), c.c_uint32]),
    "copra_tracker_create": (c.c_int, [c.POINTER(_P), c.POINTER(_Domain), _P, _E]),
    "copra_tracker_destroy": (None, [_P]),
    "copra_tracker_begin": (c.c_int, [_P, c.c_void_p, c.c_uint32, _E]),
    "copra_tracker_iterate": (c.c_int, [_P, _E]),
    "copra_tracker_layer": (c.c_uint32, [_P]),
    "copra_tracker_count": (c.c_uint32, [_P]),
    "copra_tracker_layer_count": (c.c_uint32, [_P, c.c_uint32]),
    "copra_tracker_history": (c.c_int, [_P, _Node, c.POINTER(_Node), _U32, _U32, _E]),
    "copra_tracker_recover": (c.c_int, [_P, c.POINTER(_Node), c.c_uint32, c.c_void_p, _E]),
    "copra_tracker_backtrack": (c.c_int, [_P, c.POINTER(_Node), c.c_uint32, _E]),
}

_lib = _library()
for _name, (_result, _arguments) in _PROTOTYPES.items():
    _function = getattr(_lib, _name)
    _function.restype, _function.argtypes = _result, _arguments

DROPPED = 0xFFFFFFFF  # a rating: the state is never kept
_LIMIT = -4


class Error(Exception):
    """An error of the library; `code` is a negative number of enum copra_code."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class LimitError(Error):
    """The search was stopped at a limit before it had a result."""


def _call(function, *arguments):
    error = _CError()
    status = function(*arguments, c.byref(error))
    if status:
        kind = LimitError if status == _LIMIT else Error
        raise kind(status, error.text.decode(errors="replace"))


def version():
    """The version of the library, such as "2.0.0"."""
    return _lib.copra_version().decode()


# ---- objects of the library ----

class _Handle:
    """An object of the library, which is destroyed with this one, by close(), or at the end of a `with`."""

    _destroy = None  # a function of the library

    def close(self):
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            self._destroy(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()


# ---- instances ----

class Instance(_Handle):
    """An instance of a problem. Made by load, knapsack, flowshop, atsp and queens."""

    _destroy = _lib.copra_instance_destroy

    def __init__(self, handle):
        self._handle = handle
        self.problem = _lib.copra_instance_problem(handle).decode()
        self.name = _lib.copra_instance_name(handle).decode()
        self.size = _lib.copra_instance_size(handle)

    def evaluate(self, solution):
        """The value of a solution, by code that no solver uses. Error if it is not a solution."""
        values = (c.c_int64 * max(1, len(solution)))(*solution)
        objective = c.c_int64()
        _call(_lib.copra_evaluate, self._handle, values, len(solution), c.byref(objective))
        return objective.value

    def __repr__(self):
        return f"<copra {self.problem} {self.name}, {self.size}>"


def _made(function, *arguments):
    handle = _P()
    _call(function, c.byref(handle), *arguments)
    return Instance(handle)


def load(name_or_file, problem=None):
    """A known instance ("ta001", "boyer:100", "trap5:60") or a file. Without `problem` it is recognised."""
    return _made(_lib.copra_instance_load, problem.encode() if problem else None,
                 os.fsencode(name_or_file))


def knapsack(profits, weights, capacity):
    """Maximise the profit of items whose weights sum to at most `capacity`."""
    if len(profits) != len(weights):
        raise ValueError("profits and weights differ in length")
    kind = c.c_int64 * max(1, len(profits))
    return _made(_lib.copra_knapsack_create, len(profits), kind(*profits), kind(*weights), capacity)


def _matrix(rows, columns):
    flat = [value for row in rows for value in row]
    if any(len(row) != columns for row in rows):
        raise ValueError("the rows differ in length")
    if any(not -2**31 <= value < 2**31 for value in flat):
        raise ValueError("a value does not fit in 32 bits")
    return (c.c_int32 * max(1, len(flat)))(*flat)


def flowshop(times):
    """Minimise the makespan; times[machine][job]."""
    jobs = len(times[0]) if times else 0
    return _made(_lib.copra_flowshop_create, jobs, len(times), _matrix(times, jobs))


def atsp(costs):
    """Minimise the cost of a closed tour; costs[from][to]."""
    return _made(_lib.copra_atsp_create, len(costs), _matrix(costs, len(costs)))


def queens(n):
    """Count the placements of n queens that do not attack each other."""
    return _made(_lib.copra_queens_create, n)


# ---- solving ----

class _Settings:
    def __init__(self, settings):
        self.handle, self.stop = _P(), c.c_int()  # sig_atomic_t
        _call(_lib.copra_settings_create, c.byref(self.handle))
        _lib.copra_settings_stop(self.handle, c.byref(self.stop))
        for key, value in settings.items():
            _call(_lib.copra_settings_set, self.handle, key.replace("_", "-").encode(),
                  str(value).encode())

    def __del__(self):
        _lib.copra_settings_destroy(self.handle)


class Result:
    """status ("optimal", "feasible", "counted", "limit", "proved", "infeasible"), objective and bound
    (None: there is none), solution (a list, or None), verified, seconds, numbers (a dict of counts)."""

    _names = ("explored", "decomposed", "leaves", "evaluated", "cells", "evaluations", "generations")

    def __init__(self, handle):
        length = c.c_size_t()
        values = _lib.copra_result_solution(handle, c.byref(length))
        self.status = _lib.copra_status_name(_lib.copra_result_status(handle)).decode()
        self.objective = (_lib.copra_result_objective(handle)
                          if _lib.copra_result_has_objective(handle) else None)
        self.bound = _lib.copra_result_bound(handle) if _lib.copra_result_has_bound(handle) else None
        self.solution = values[:length.value] if values else None
        self.verified = bool(_lib.copra_result_verified(handle))
        self.seconds = _lib.copra_result_seconds(handle)
        numbers = {n: _lib.copra_result_number(handle, n.encode()) for n in self._names}
        self.numbers = {n: v for n, v in numbers.items() if v >= 0}

    def __repr__(self):
        return (f"<copra result: {self.status}, objective {self.objective}, bound {self.bound}, "
                f"{self.seconds:.3g} s>")


def _run(settings, function, *arguments):
    """Calls a function of the library in a thread, because signal handlers of Python do not run during a
    call. An exception of one, such as KeyboardInterrupt, sets the stop flag and is raised when the call
    has ended."""
    done = threading.Event()  # an interrupted Thread.join may leave the thread marked as ended

    def work():
        try:
            function(*arguments)
        finally:
            done.set()

    raised = None
    threading.Thread(target=work).start()
    while not done.is_set():
        try:
            done.wait()
        except BaseException as interrupt:
            raised, settings.stop.value = interrupt, 1
    if raised:
        raise raised


def solve(instance, **settings):
    """Solves an instance. A search that was stopped at a limit returns its partial result, whose status
    is "limit"; LimitError if it has none. KeyboardInterrupt stops the search."""
    chosen = _Settings(settings)
    handle, error = _P(), _CError()
    try:
        _run(chosen, _lib.copra_solve, c.byref(handle), instance._handle, chosen.handle,
             c.byref(error))
        if not handle.value:
            kind = LimitError if error.code == _LIMIT else Error
            raise kind(error.code, error.text.decode(errors="replace"))
        return Result(handle)
    finally:
        _lib.copra_result_destroy(handle)


# ---- the recovery engine ----

class Tracker(_Handle):
    """A beam search over states of your own that can be rebuilt. `state` is a ctypes.Structure. The
    functions get states of that type:

        execute(state, step) -> whether the state then waits for an assignment
        assign(state, step)     the choice at step.step 0 is step.successor
        rate(state) -> int      smaller is better
        expand(state) -> int    number of successors

    Python runs one of them at a time, so `threads` is 1. An exception in a function is raised by the
    call that ran it."""

    _destroy = _lib.copra_tracker_destroy

    def __init__(self, state, execute, assign, rate, expand, **settings):
        self._state, self._raised, self._handle = state, None, None

        def guard(function, otherwise):
            def guarded(_context, *arguments):
                try:
                    return function(*arguments)
                except BaseException as raised:  # must not pass through C
                    self._raised = self._raised or raised
                    return otherwise
            return guarded

        def at(pointer):
            return state.from_address(pointer)

        self._functions = (  # kept alive as long as the tracker
            _EXECUTE(guard(lambda s, step: 1 if execute(at(s), step.contents) else 0, 1)),
            _ASSIGN(guard(lambda s, step: (assign(at(s), step.contents), None)[1], None)),
            _RATE(guard(lambda s: int(rate(at(s))), DROPPED)),
            _RATE(guard(lambda s: int(expand(at(s))), 0)))
        self._domain = _Domain(c.sizeof(state), None, *self._functions, _SUCCESSOR())
        chosen = _Settings({"threads": 1, **settings})
        handle = _P()
        _call(_lib.copra_tracker_create, c.byref(handle), c.byref(self._domain), chosen.handle)
        self._handle = handle

    def _run(self, function, *arguments):
        _call(function, self._handle, *arguments)
        raised, self._raised = self._raised, None
        if raised:
            raise raised

    def begin(self, states):
        """Starts the search with these states."""
        self._run(_lib.copra_tracker_begin, (self._state * len(states))(*states), len(states))

    def iterate(self):
        """Makes a layer. Returns the number of its states; 0: the search is over."""
        self._run(_lib.copra_tracker_iterate)
        return self.count

    @property
    def layer(self):
        return _lib.copra_tracker_layer(self._handle)

    @property
    def count(self):
        return _lib.copra_tracker_count(self._handle)

    def layer_count(self, layer):
        return _lib.copra_tracker_layer_count(self._handle, layer)

    def history(self, layer, slot):
        """((layer, slot) of the parent, successor, rating) of a state."""
        parent, successor, rating = _Node(), c.c_uint32(), c.c_uint32()
        self._run(_lib.copra_tracker_history, _Node(layer, slot), c.byref(parent),
                  c.byref(successor), c.byref(rating))
        return (parent.layer, parent.slot), successor.value, rating.value

    def recover(self, nodes):
        """The states of (layer, slot) pairs, rebuilt."""
        states = (self._state * len(nodes))()
        self._run(_lib.copra_tracker_recover, (_Node * len(nodes))(*nodes), len(nodes), states)
        return list(states)

    def backtrack(self, nodes):
        """Continues from these states of any layers."""
        self._run(_lib.copra_tracker_backtrack, (_Node * len(nodes))(*nodes), len(nodes))
