# copra: every entry point. `make help` lists them. V=1 shows the commands.
# Settings: CC CXX NVCC CFLAGS NATIVE=0 (portable build) SAN=address,undefined|thread CUDA=0 V=1

.DEFAULT_GOAL := help
SHELL := /bin/bash
MAKEFLAGS += --no-builtin-rules
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-6s %s\n' '$(1)' '$(2)';)

# a folder with a main.c is a target
TARGETS := $(sort $(patsubst algorithms/%/main.c,%,$(wildcard algorithms/*/main.c)))
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# ---- what the machine offers -------------------------------------------------------------------
CC  := $(if $(filter default undefined,$(origin CC)),gcc,$(CC))
CXX := $(if $(filter default undefined,$(origin CXX)),g++,$(CXX))
NVCC ?= $(firstword $(shell command -v nvcc 2>/dev/null) $(wildcard /usr/local/cuda/bin/nvcc))
CUDA ?= $(if $(and $(NVCC),$(if $(SAN),,1)),1,0)
has = $(shell pkg-config --exists $(1) 2>/dev/null && echo 1)
CMOCKA  ?= $(call has,cmocka)
HWLOC   ?= $(call has,hwloc)

# ---- flags --------------------------------------------------------------------------------------
NATIVE ?= 1
WARN := -Wall -Wextra -Wshadow -Wconversion
OPT  := $(if $(SAN),-O1 -fno-omit-frame-pointer,-O3) $(if $(filter 1,$(NATIVE)),-march=native)
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all)
comma := ,
# jansson in a folder of one's own: its include/ and lib/
JANSSON_PREFIX ?=
JANSSON_CPPFLAGS := $(if $(JANSSON_PREFIX),-isystem $(JANSSON_PREFIX)/include)
JANSSON_LDFLAGS := $(if $(JANSSON_PREFIX),-L$(JANSSON_PREFIX)/lib -Wl$(comma)-rpath$(comma)$(JANSSON_PREFIX)/lib)
ALL_CPPFLAGS := -I. $(JANSSON_CPPFLAGS) -D_GNU_SOURCE -DCOPRA_HAVE_CUDA=$(CUDA) -DCOPRA_HAVE_HWLOC=$(or $(HWLOC),0) $(CPPFLAGS)
ALL_CFLAGS   := -std=c11 -g -pthread -fopenmp $(OPT) $(WARN) $(SANFLAGS) $(CFLAGS)
# kernels on the host: the same .cu sources as C++, no exceptions, no run-time library
SIM_CXXFLAGS := -x c++ -std=c++17 -g -pthread -fno-exceptions -fno-rtti -fno-strict-aliasing \
	$(OPT) -Wall -Wextra -Wno-unknown-pragmas $(SANFLAGS) -DCOPRA_SIM=1 $(CXXFLAGS)
ALL_LDFLAGS  := -pthread -fopenmp $(SANFLAGS) $(JANSSON_LDFLAGS) $(LDFLAGS)
ALL_LDLIBS   := -ljansson -lm -ldl $(if $(filter 1,$(HWLOC)),-lhwloc) $(LDLIBS)

ifeq ($(CUDA),1)
CUDA_HOME := $(patsubst %/bin/,%,$(dir $(realpath $(NVCC))))
CUDA_ARCH ?= $(shell scripts/cuda-arch.sh $(NVCC))
NVCCFLAGS := -std=c++17 -O3 -lineinfo $(CUDA_ARCH) -I. -D_GNU_SOURCE -Xcompiler -Wall,-Wextra,-Wno-unused-parameter
ALL_CPPFLAGS += -isystem $(CUDA_HOME)/include
ALL_LDLIBS += -L$(CUDA_HOME)/lib64 -lcudart_static -lrt -lpthread -lstdc++
endif

# one object folder for each set of flags, so that builds never mix
FLAGHASH := $(firstword $(shell printf '%s' '$(CC) $(CXX) $(NVCC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(SIM_CXXFLAGS) $(NVCCFLAGS)' | cksum))
BUILD ?= build
B   := $(BUILD)/$(if $(SAN),san-$(subst $(comma),-,$(SAN))/)
OBJ := $(BUILD)/obj/$(FLAGHASH)
BIN := $(B)bin
TST := $(B)tests

# ---- sources ------------------------------------------------------------------------------------
# every .c file is part of the library, except the main.c of each program
find = $(sort $(shell find $(1) -name '$(2)' 2>/dev/null))
SRC_LIB := $(filter-out %/main.c $(if $(filter 1,$(CUDA)),,harness/device/device_cuda.c), \
	$(call find,harness datasets algorithms/tree-search,*.c))
SRC_KERNELS := $(call find,kernels docs/examples,*.cu)

obj = $(patsubst %.c,$(OBJ)/%.o,$(1))
OBJ_KERNELS := $(patsubst %.cu,$(OBJ)/%.sim.o,$(SRC_KERNELS)) \
	$(if $(filter 1,$(CUDA)),$(patsubst %.cu,$(OBJ)/%.cuda.o,$(SRC_KERNELS)))
LIB := $(OBJ)/libcopra.a
BUILD_INFO := $(OBJ)/build_info.c
OBJ_LIB := $(call obj,$(SRC_LIB)) $(OBJ_KERNELS) $(BUILD_INFO:.c=.o)

# a target's objects without its main.c, for tests
target_obj = $(call obj,$(filter-out %/main.c,$(call find,algorithms/$(1),*.c)))
# worked examples, run by the tests
SRC_EXAMPLES := $(filter-out %/main.c,$(call find,docs/examples,*.c))
ALL_TARGET_OBJ := $(foreach t,$(TARGETS),$(call target_obj,$(t))) $(call obj,$(SRC_EXAMPLES))
LIB_TARGETS := $(OBJ)/libtargets.a

# the tests of all rooms lie in one folder when built
SRC_UNIT := $(call find,tests/unit,test_*.c)
# what several tests share; fake_nvml.c is a library of its own
SRC_HELPERS := $(filter-out %/fake_nvml.c $(SRC_UNIT),$(call find,tests/unit,*.c))
LIB_HELPERS := $(OBJ)/libtesthelpers.a
UNIT_TESTS := $(if $(CMOCKA),$(addprefix $(TST)/,$(basename $(notdir $(SRC_UNIT)))))
# readers of outside data: their corpora are replayed by this one (make fuzz looks for more)
UNIT_TESTS += $(if $(CMOCKA),$(TST)/test_readers $(TST)/test_faults)
GPU_TESTS  := $(if $(CMOCKA),$(patsubst tests/gpu/%.c,$(TST)/gpu/%,$(wildcard tests/gpu/test_*.c)))

##  make reproduce [PAPER=target] [SCALE=smoke|quick|paper] [DEVICE=auto|cpu|sim|cuda|cuda:0,1]
##                       run the papers' experiments here, check every answer, write the report;
##                       interrupted, killed or out of time (MINUTES=10) it goes on where it was;
##                       LONGEST=60 leaves out cases of more than so many seconds
.PHONY: reproduce estimate report report-recorded peaks ceilings bench
export PAPER SCALE DEVICE JANSSON_PREFIX TARGETS BIN SETUP MINUTES LONGEST CEILINGS
reproduce: setup
	$(Q)$(MAKE) --no-print-directory -j$(JOBS) all
	$(Q)scripts/reproduce.sh
##  make estimate        what reproduce would run, how long and how much disk; runs nothing
estimate: all
	$(Q)scripts/reproduce.sh --estimate
##  make record [SCALE=paper] [GPUS=2] [MINUTES=9] [LONGEST=60]
##                       measure here for results/recorded, from one commit, in parts of MINUTES
.PHONY: record
export GPUS NAME STATE
record: all
	$(Q)scripts/record.sh
##  make bench [PAPER=target] [ARGS="--benchmark_filter=..."]
##                       one target's benchmarks, with Google Benchmark's flags
bench: all
	$(Q)for t in $(or $(PAPER),$(TARGETS)); do $(BIN)/$$t bench $(ARGS) || exit $$?; done
##  make report          build results/local/report from what has been measured and recorded
report: all
	$(Q)scripts/report.sh
##  make history [FILTER=regex] [ARGS=...]
##                       benchmarks over commits: what changed, when; table, plots, SQLite index
.PHONY: history
history: $(BIN)/copra-history
	$(Q)FILTER='$(FILTER)' scripts/history.sh $(ARGS)
##  make baseline        keep this build, to compare later ones with:
##  make compare         did anything become slower since? fails where it did
##                       both: [PAPER=target] [FILTER=regex] [SCALE=smoke] [DEVICE=...]
##                       [LAUNCHES=n] [BASELINE=default] [ARGS="..."]; compare: [ROWS=1]
.PHONY: baseline compare
GATE_FLAGS = --bin '$(BIN)' $(if $(PAPER),--targets '$(PAPER)') $(if $(FILTER),--filter '$(FILTER)') \
	$(if $(SCALE),--scale '$(SCALE)') $(if $(DEVICE),--device '$(DEVICE)') \
	$(if $(LAUNCHES),--launches '$(LAUNCHES)') $(if $(BASELINE),--name '$(BASELINE)')
baseline compare: all
	$(Q)$(BIN)/copra-compare $@ $(GATE_FLAGS) $(if $(filter compare,$@),$(if $(ROWS),--rows)) $(ARGS)


##  make report-recorded write docs/report from results/recorded: the report to read in the repository
report-recorded: $(BIN)/copra-report
	$(Q)scripts/report-recorded.sh
##  make peaks           measure the peak rates of this machine; cached
peaks ceilings: all
	$(Q)$(BIN)/copra-peaks --force

##  make all             build everything;  make <target> builds one (TARGETS)
.PHONY: all $(TARGETS)
TOOLS := copra-peaks copra-instance copra-report copra-history copra-compare
all: $(TARGETS) $(TOOLS:%=$(BIN)/%) $(BIN)/copra-ceilings
$(TARGETS): %: $(BIN)/%

define target_rule
$(BIN)/$(1): $(call obj,$(call find,algorithms/$(1),*.c))
endef
$(foreach t,$(TARGETS),$(eval $(call target_rule,$(t))))
$(BIN)/copra-peaks: $(call obj,harness/machine/main.c)
# the old name
$(BIN)/copra-ceilings: | $(BIN)/copra-peaks
	$(Q)ln -sf copra-peaks $@
$(BIN)/copra-instance: $(call obj,datasets/main.c)
$(BIN)/copra-report: $(call obj,harness/report/main.c)
$(BIN)/copra-history: $(call obj,harness/compare/history/main.c)
$(BIN)/copra-compare: $(call obj,harness/compare/main.c)
# a small target that only the tests of the harness run
$(BIN)/copra-demo: $(call obj,$(wildcard tests/demo/*.c))
$(addprefix $(BIN)/,$(TARGETS) $(TOOLS) copra-demo): $(LIB) | $(BIN)/
	$(call say,LINK,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(ALL_LDLIBS)

# the archive is made afresh: an object that is gone must not stay in it
$(LIB): $(OBJ_LIB)
$(LIB_TARGETS): $(ALL_TARGET_OBJ)
$(LIB_HELPERS): $(call obj,$(SRC_HELPERS))
$(LIB) $(LIB_TARGETS) $(LIB_HELPERS):
	$(call say,AR,$(notdir $@))rm -f $@ && ar rcs $@ $^

# revision, compiler and flags for the results; written anew only when one of them changed
.PHONY: FORCE
$(BUILD_INFO): FORCE
	$(Q)scripts/build-info.sh $@ '$(CC)' '$(ALL_CFLAGS) $(CPPFLAGS)' '$(if $(filter 1,$(CUDA)),$(NVCC))' \
	  '$(NVCCFLAGS)' '$(SAN)'
$(BUILD_INFO:.c=.o): $(BUILD_INFO)
	$(call say,CC,build_info.c)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<
$(OBJ)/%.o: %.c
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
$(OBJ)/%.sim.o: %.cu
	$(call say,SIM,$<)mkdir -p $(@D) && $(CXX) $(ALL_CPPFLAGS) $(SIM_CXXFLAGS) -MMD -MP -c -o $@ $<
$(OBJ)/%.cuda.o: %.cu
	$(call say,NVCC,$<)mkdir -p $(@D) && $(NVCC) $(NVCCFLAGS) -MD -MP -MF $(@:.o=.d) -c -o $@ $<

##  make test            unit, property, oracle and command-line tests, then the unit tests under
##                       ASan+UBSan and TSan; kernels run on the simulated device
.PHONY: test test-unit test-cli test-gpu test-sanitize unit-binaries
test: setup
	$(Q)MAKE=$(MAKE) scripts/test-all.sh
##  make test-extended   what takes longer: flowshop trees of up to 7 million nodes (minutes)
.PHONY: test-extended
test-extended: $(TST)/test_flowshop_trees
	$(Q)COPRA_TEST_EXTENDED=1 $(TST)/test_flowshop_trees
##  make test-unit       only the unit tests (SAN=address,undefined or SAN=thread: of that build)
unit-binaries: $(UNIT_TESTS)
test-unit: unit-binaries
	$(Q)scripts/run-tests.sh --unit $(TST)
##  make test-cli        only the command-line tests
test-cli: all $(BIN)/copra-demo
	$(Q)scripts/run-tests.sh --cli $(BIN)
##  make test-gpu        tests that need a CUDA device
test-gpu: all $(GPU_TESTS)
	$(Q)scripts/run-tests.sh --gpu $(TST)/gpu
##  make test-sanitize   only the unit tests under ASan+UBSan, then TSan
test-sanitize:
	$(Q)$(MAKE) --no-print-directory -j$(JOBS) SAN=address,undefined test-unit
	$(Q)$(MAKE) --no-print-directory -j$(JOBS) SAN=thread test-unit

TEST_LIBS := -lcmocka
define unit_test_rule
$(TST)/$(basename $(notdir $(1))): $(OBJ)/$(1:.c=.o) $(LIB_HELPERS) $(LIB_TARGETS) $(LIB) | $(TST)/
	$$(call say,LINK,$$@)$$(CC) $$(ALL_LDFLAGS) -o $$@ $$< $(LIB_HELPERS) $(LIB_TARGETS) $(LIB) $(TEST_LIBS) $(ALL_LDLIBS)
endef
$(foreach t,$(SRC_UNIT),$(eval $(call unit_test_rule,$(t))))
# nodes and intervals that get lost on their way: the test puts functions of its own in between
LOSING := balance_check balance_check_all balance_equal task_team_take sets_cpu_note_segment pool_deque_steal \
	pool_deque_branch pool_deque_pop_back pool_queens_deal ivm_explorer_start ivm_explorer_split \
	ivm_interval_list_move ivm_device_take ivm_steal_sim ivm_dealer_take dfs_device_round sets_device_run
$(TST)/test_conservation: private ALL_LDFLAGS += $(LOSING:%=-Wl,--wrap=%)
$(TST)/gpu/%: $(OBJ)/tests/gpu/%.o $(LIB_HELPERS) $(LIB_TARGETS) $(LIB) | $(TST)/gpu/
	$(call say,LINK,$@)$(CC) $(ALL_LDFLAGS) -o $@ $< $(LIB_HELPERS) $(LIB_TARGETS) $(LIB) $(TEST_LIBS) $(ALL_LDLIBS)

# memory, threads and devices that run out: calls of our own code go through tests/faults/inject*.c
WRAPPED := malloc calloc realloc aligned_alloc posix_memalign strdup strndup asprintf free mmap pthread_create dev_set_open dev_set_close dev_stream_destroy \
	$(addprefix dev_,$(addsuffix _at,alloc host_alloc stream_create event_create event_record stream_wait \
	event_sync event_elapsed copy_to copy_from copy_on copy_peer fill enable_peer stream_sync sync launch_begin launch_end))
$(TST)/test_faults: $(call obj,$(wildcard tests/faults/*.c)) $(ALL_TARGET_OBJ) $(LIB) | $(TST)/
	$(call say,LINK,$@)$(CC) $(ALL_LDFLAGS) $(WRAPPED:%=-Wl,--wrap=%) -o $@ $(filter %.o,$^) $(LIB) \
	  $(TEST_LIBS) $(ALL_LDLIBS)

# ---- fuzzing ------------------------------------------------------------------------------------
FUZZ_FRAME := tests/fuzz/frame.c
SRC_FUZZ := $(call find,tests/fuzz,reader_*.c)
FUZZ_WORLD := tests/fuzz/world.c
$(TST)/test_readers: $(call obj,$(SRC_FUZZ) $(FUZZ_WORLD) $(FUZZ_FRAME) tests/fuzz/replay.c) $(LIB) | $(TST)/
	$(call say,LINK,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(TEST_LIBS) $(ALL_LDLIBS)

##  make fuzz [READER="atsp csv"] [RUNS=1000000] [SECONDS_MOST=600]
##                       give every reader of files so many made-up ones (needs clang's libFuzzer)
.PHONY: fuzz fuzz-binaries
export READER RUNS
fuzz:
	$(Q)$(MAKE) --no-print-directory CC=clang CXX=clang++ CFLAGS=-w CXXFLAGS="-w -fno-sanitize=function" \
	  SAN=address,undefined,fuzzer-no-link fuzz-binaries
	$(Q)scripts/fuzz.sh $(BUILD)/san-address-undefined-fuzzer-no-link/fuzz
FUZZ_READERS := $(patsubst reader_%.c,%,$(notdir $(SRC_FUZZ)))
fuzz-binaries: $(FUZZ_READERS:%=$(B)fuzz/%)
# only what readers need: all kernels would take clang long
FUZZ_LIB := $(OBJ)/libreaders.a
$(FUZZ_LIB): $(call obj,$(filter harness/% datasets/%,$(SRC_LIB)) \
		$(wildcard algorithms/tree-search/checkpoint*.c) algorithms/tree-search/labels.c $(FUZZ_WORLD)) \
		$(patsubst %.cu,$(OBJ)/%.sim.o,$(wildcard kernels/peaks/*.cu)) $(BUILD_INFO:.c=.o)
	$(call say,AR,$(notdir $@))rm -f $@ && ar rcs $@ $^
define fuzz_rule
$(B)fuzz/$(patsubst reader_%.c,%,$(notdir $(1))): $(OBJ)/$(1:.c=.o)
endef
$(foreach f,$(SRC_FUZZ),$(eval $(call fuzz_rule,$(f))))
$(FUZZ_READERS:%=$(B)fuzz/%): $(call obj,$(FUZZ_FRAME) tests/fuzz/libfuzzer.c) $(FUZZ_LIB) | $(B)fuzz/
	$(call say,LINK,$@)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(ALL_LDLIBS)

##  make setup           install missing packages (as root), or print the command that does;
##                       SETUP=0 makes it do nothing
.PHONY: setup config help clean
setup:
	$(Q)scripts/setup.sh
##  make config          what was found on this machine: compilers, GPU, libraries, tools
config:
	$(Q)CC="$(CC)" CXX="$(CXX)" NVCC="$(NVCC)" CUDA=$(CUDA) JANSSON=$(if $(JANSSON_PREFIX),1,$(call has,jansson)) CMOCKA=$(CMOCKA) \
	  HWLOC=$(HWLOC) FLAGS="$(ALL_CFLAGS)" scripts/config.sh
##  make new-target NAME=x
##                       a small, complete, tested target to start from (docs/NEW-TARGET.md)
.PHONY: new-target
new-target:
	$(Q)scripts/new-target.sh '$(NAME)'
##  make remove-target NAME=x
##                       remove a target that make new-target made: code, tests, results, rows in
##                       the history; a target that git tracks is refused
.PHONY: remove-target
remove-target:
	$(Q)scripts/remove-target.sh '$(NAME)'
##  make clean           remove build/ (results stay)
clean:
	rm -rf $(BUILD)
help:
	@sed -n 's/^##//p' $(MAKEFILE_LIST)

%/:
	@mkdir -p $@
.PRECIOUS: %/ $(OBJ)/%.o $(OBJ)/%.sim.o $(OBJ)/%.cuda.o
-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)
