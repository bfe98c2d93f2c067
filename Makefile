# copra: builds, runs and tests everything. `make help` lists the commands.
# Settings: CC, CXX, NVCC, CFLAGS; NATIVE=0 for a portable build; CUDA=0 to build without nvcc;
# HIP=1 to build for AMD GPUs (docs/AMD.md), HIPCC, HIP_ARCHS="gfx90a ..."; MPICC, MPI= to build without MPI;
# SAN=address,undefined or SAN=thread for a sanitizer build; V=1 to print the commands.
#
# SPDX-FileCopyrightText: 2026 The copra authors
# SPDX-License-Identifier: BSD-3-Clause

.DEFAULT_GOAL := help
SHELL := /bin/bash
MAKEFLAGS += --no-builtin-rules
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-6s %s\n' '$(1)' '$(2)';)

# each folder of algorithms/ with a main.c is a target
TARGETS := $(sort $(patsubst algorithms/%/main.c,%,$(wildcard algorithms/*/main.c)))
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# ---- tools and libraries ------------------------------------------------------------------------
CC  := $(if $(filter default undefined,$(origin CC)),gcc,$(CC))
CXX := $(if $(filter default undefined,$(origin CXX)),g++,$(CXX))
NVCC ?= $(firstword $(shell command -v nvcc 2>/dev/null) $(wildcard /usr/local/cuda/bin/nvcc))
CUDA ?= $(if $(and $(NVCC),$(if $(SAN),,1)),1,0)
# AMD GPUs, on request
HIP ?= 0
ifneq ($(SAN),)
override HIP := 0
endif
HIPCC ?= $(shell command -v hipcc 2>/dev/null)
ifeq ($(HIP)$(filter setup,$(MAKECMDGOALS)),1)
$(if $(HIPCC),,$(error HIP=1 needs hipcc, which is not installed: make setup HIP=1 (docs/AMD.md)))
endif
# the targets that hipcc compiles here; exported, so that makes below this one do not ask again
HIP_ARCHS ?= $(if $(HIPCC),$(shell scripts/hip-archs.sh $(HIPCC)))
ifeq ($(HIP),1)
HIP_ARCHS := $(HIP_ARCHS)
export HIP_ARCHS
$(if $(HIP_ARCHS)$(filter setup,$(MAKECMDGOALS)),,$(error $(HIPCC) compiles for no AMD GPU: are its device libraries installed?))
endif
has = $(shell pkg-config --exists $(1) 2>/dev/null && echo 1)
CMOCKA  ?= $(call has,cmocka)
# the MPI libraries found, as NAME=COMPILER; MPI= builds without. MPICC: only the library of this compiler
MPI ?= $(shell MPICC='$(MPICC)' scripts/mpi-compilers.sh)
ifeq ($(origin MPI)$(MPI),file)
$(if $(MPICC),$(error MPICC=$(MPICC) compiles for neither OpenMPI nor MPICH; MPI= builds without))
endif

# ---- flags --------------------------------------------------------------------------------------
NATIVE ?= 1
WARN := -Wall -Wextra -Wshadow -Wconversion
# functions start on cache lines: else an unrelated change that moves a hot loop costs up to 10 %
OPT  := $(if $(SAN),-O1 -fno-omit-frame-pointer,-O3 -falign-functions=64) $(if $(filter 1,$(NATIVE)),-march=native)
# the same objects make the programs and the shared library, which exports only what copra.h declares
PIC := -fPIC -fvisibility=hidden
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all)
comma := ,
# a folder with the include/ and lib/ of a jansson that is not installed in the system
JANSSON_PREFIX ?=
JANSSON_CPPFLAGS := $(if $(JANSSON_PREFIX),-isystem $(JANSSON_PREFIX)/include)
JANSSON_LDFLAGS := $(if $(JANSSON_PREFIX),-L$(JANSSON_PREFIX)/lib -Wl$(comma)-rpath$(comma)$(JANSSON_PREFIX)/lib)
ALL_CPPFLAGS := -I. $(JANSSON_CPPFLAGS) -D_GNU_SOURCE -DCOPRA_HAVE_CUDA=$(CUDA) -DCOPRA_HAVE_HIP=$(HIP) $(CPPFLAGS)
ALL_CFLAGS   := -std=c11 -g -pthread -fopenmp $(PIC) $(OPT) $(WARN) $(SANFLAGS) $(CFLAGS)
# the simulated device: the same .cu sources compiled as C++ for the host, without exceptions and RTTI
SIM_CXXFLAGS := -x c++ -std=c++17 -g -pthread -fno-exceptions -fno-rtti -fno-strict-aliasing \
	$(PIC) $(OPT) -Wall -Wextra -Wno-unknown-pragmas $(SANFLAGS) -DCOPRA_SIM=1 $(CXXFLAGS)
ALL_LDFLAGS  := -pthread -fopenmp $(SANFLAGS) $(JANSSON_LDFLAGS) $(LDFLAGS)
ALL_LDLIBS   := -ljansson -lm -ldl $(LDLIBS)

ifeq ($(CUDA),1)
CUDA_HOME := $(patsubst %/bin/,%,$(dir $(realpath $(NVCC))))
CUDA_ARCH ?= $(shell scripts/cuda-arch.sh $(NVCC))
NVCCFLAGS := -std=c++17 -O3 -lineinfo $(CUDA_ARCH) -I. -D_GNU_SOURCE -Xcompiler -Wall,-Wextra,-Wno-unused-parameter \
	-Xcompiler $(subst $() ,$(comma),$(PIC))
ALL_CPPFLAGS += -isystem $(CUDA_HOME)/include
ALL_LDLIBS += -L$(CUDA_HOME)/lib64 -lcudart_static -lrt -lpthread -lstdc++
endif

ifeq ($(HIP),1)
# hipcc's include/ and lib/ are beside its bin/, in /opt/rocm-VERSION or /usr
HIP_HOME := $(patsubst %/bin/,%,$(dir $(realpath $(HIPCC))))
# a table of host functions is declared on the GPU and never defined there (DEV_TABLE of device.h)
HIPCCFLAGS := -x hip -std=c++17 -O3 $(HIP_ARCHS:%=--offload-arch=%) -I. -D_GNU_SOURCE $(PIC) \
	-include hip/hip_runtime.h -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare -Wno-undefined-internal -Wno-pass-failed
HIP_CPPFLAGS := -D__HIP_PLATFORM_AMD__ $(if $(filter /usr,$(HIP_HOME)),,-isystem $(HIP_HOME)/include)
ALL_LDLIBS += $(if $(filter /usr,$(HIP_HOME)),,-L$(HIP_HOME)/lib -Wl$(comma)-rpath$(comma)$(HIP_HOME)/lib) -lamdhip64 -lstdc++
endif

# each set of flags has its own object folder, so that builds never mix
FLAGHASH := $(firstword $(shell printf '%s' '$(CC) $(CXX) $(NVCC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(SIM_CXXFLAGS) $(NVCCFLAGS) $(HIPCCFLAGS)' | cksum))
BUILD ?= build
B   := $(BUILD)/$(if $(SAN),san-$(subst $(comma),-,$(SAN))/)
OBJ := $(BUILD)/obj/$(FLAGHASH)
BIN := $(B)bin
TST := $(B)tests

# ---- sources ------------------------------------------------------------------------------------
# every .c file except the main.c of a program is part of the library
find = $(sort $(shell find $(1) -name '$(2)' 2>/dev/null))
SRC_LIB := $(filter-out %/main.c $(if $(filter 1,$(CUDA)),,harness/device/device_cuda.c) \
		$(if $(filter 1,$(HIP)),,harness/device/device_hip.c), \
	$(filter-out %/mpi_shim.c algorithms/tree-search/cluster/simulate/%, \
	$(call find,harness datasets algorithms/tree-search front,*.c)))
SRC_KERNELS := $(call find,kernels docs/examples,*.cu)

obj = $(patsubst %.c,$(OBJ)/%.o,$(1))
OBJ_KERNELS := $(patsubst %.cu,$(OBJ)/%.sim.o,$(SRC_KERNELS)) \
	$(if $(filter 1,$(CUDA)),$(patsubst %.cu,$(OBJ)/%.cuda.o,$(SRC_KERNELS))) \
	$(if $(filter 1,$(HIP)),$(patsubst %.cu,$(OBJ)/%.hip.o,$(SRC_KERNELS)))
LIB := $(OBJ)/libcopra.a
BUILD_INFO := $(OBJ)/build_info.c
OBJ_LIB := $(call obj,$(SRC_LIB)) $(OBJ_KERNELS) $(BUILD_INFO:.c=.o)

# the objects of all targets without their main.c, for the tests
target_obj = $(call obj,$(filter-out %/main.c,$(call find,algorithms/$(1),*.c)))
# the sources of the examples that the unit tests use
SRC_EXAMPLES := $(filter-out %/main.c,$(call find,docs/examples,*.c))
ALL_TARGET_OBJ := $(foreach t,$(TARGETS),$(call target_obj,$(t))) $(call obj,$(SRC_EXAMPLES))
LIB_TARGETS := $(OBJ)/libtargets.a

# all test programs are built into one folder
SRC_UNIT := $(call find,tests/unit,test_*.c)
# code that several tests share; fake_nvml.c is built as a separate library
SRC_HELPERS := $(filter-out %/fake_nvml.c $(SRC_UNIT),$(call find,tests/unit,*.c))
LIB_HELPERS := $(OBJ)/libtesthelpers.a
UNIT_TESTS := $(if $(CMOCKA),$(addprefix $(TST)/,$(basename $(notdir $(SRC_UNIT)))))
# test_readers replays the fuzzing corpora; test_faults makes allocations and devices fail
UNIT_TESTS += $(if $(CMOCKA),$(TST)/test_readers $(TST)/test_faults)
GPU_TESTS  := $(if $(CMOCKA),$(patsubst tests/gpu/%.c,$(TST)/gpu/%,$(wildcard tests/gpu/test_*.c)))

# simulated clusters: a rank for SimGrid's SMPI, if it is installed
SMPICC ?= $(shell command -v smpicc 2>/dev/null)
SIMULATED_RANK := $(if $(and $(SMPICC),$(if $(SAN),,1)),$(B)simulate/rank)
# a real run of two ranks is compared with a simulated one, with OpenMPI
SIMULATED_MPICC := $(patsubst openmpi=%,%,$(filter openmpi=%,$(MPI)))
SIMULATED_REAL := $(if $(SIMULATED_MPICC),$(addprefix $(B)simulate/,count.so pingpong))

# ---- commands -----------------------------------------------------------------------------------
## Experiments
##  make reproduce       run the papers' experiments on this machine, verify every answer and write
##                       the report. An interrupted run continues when started again.
##                         PAPER=target  SCALE=smoke|quick|paper  DEVICE=auto|cpu|sim|cuda|cuda:0,1|hip
##                         MINUTES=10 stops after 10 minutes; LONGEST=60 skips cases above 60 s
##                         COMPARE_WITH="helbecque=PATH pbb=PATH queens=PATH combo=PATH cbc" also runs
##                         other people's programs (docs/COMPARATORS.md); for record and bench too
##                         SHARD=i/n measures shard i of n and writes no report (docs/CLUSTER.md)
.PHONY: reproduce merge estimate report report-recorded peaks ceilings bench
export PAPER SCALE DEVICE JANSSON_PREFIX TARGETS BIN SETUP MINUTES LONGEST SHARD CEILINGS COMPARE_WITH COMPARE_FILTER
reproduce: setup
	$(Q)$(MAKE) --no-print-directory -j$(JOBS) all
	$(Q)scripts/reproduce.sh
##  make merge           join the shards' measurements, run what is missing and write the report
merge: setup
	$(Q)$(MAKE) --no-print-directory -j$(JOBS) all
	$(Q)scripts/reproduce.sh --merge
##  make estimate        print what reproduce would run, with time and disk space; run nothing
estimate: all
	$(Q)scripts/reproduce.sh --estimate
##  make record          measure for results/recorded, from one commit, in parts of MINUTES
##                         SCALE=paper  GPUS=2  MINUTES=9  LONGEST=60
.PHONY: record
export GPUS NAME STATE
record: all
	$(Q)scripts/record.sh
##  make bench           run the benchmarks of one target with Google Benchmark's flags
##                         PAPER=target  ARGS="--benchmark_filter=..."
bench: all
	$(Q)for t in $(or $(PAPER),$(TARGETS)); do $(BIN)/$$t bench $(ARGS) || exit $$?; done
	$(if $(COMPARE_WITH),$(Q)scripts/compare-with.sh $(PAPER))
##  make proofs          time to a proof from nothing: copra, pbb, CP-SAT and CBC on 24 flowshops
##                         VFR=folder  PBB=folder  SOLVERS=copra,pbb  GPUS="1 2"  LIMIT=60  (docs/COMPARATORS.md)
.PHONY: proofs
proofs: all
	$(Q)scripts/prove.sh
##  make campaign        solve a list of flowshops, the smallest estimated tree first; continues when started again
##                         SET=taillard-open|taillard|vfr:FOLDER|FILE.csv  BUDGET=hours  DEVICE=...  ARGS="--list" (docs/CAMPAIGN.md)
.PHONY: campaign
campaign: all
	$(Q)scripts/campaign.sh '$(or $(SET),taillard-open)' $(if $(BUDGET),--budget '$(BUDGET)') $(if $(DEVICE),--device '$(DEVICE)') $(ARGS)
##  make report          write results/local/report from local and recorded results
report: all
	$(Q)scripts/report.sh
##  make history         show benchmarks over commits: table, plots and an SQLite index
##                         FILTER=regex  ARGS=...
.PHONY: history
history: $(BIN)/copra-history
	$(Q)FILTER='$(FILTER)' scripts/history.sh $(ARGS)
##  make baseline        keep this build as the baseline
##  make compare         compare this build with the baseline; fails if a benchmark became slower
##                         both: PAPER=target  FILTER=regex  SCALE=smoke  DEVICE=...  LAUNCHES=n
##                         BASELINE=default  ARGS="..."; compare: ROWS=1  JUNIT=FILE
.PHONY: baseline compare
GATE_FLAGS = --bin '$(BIN)' $(if $(PAPER),--targets '$(PAPER)') $(if $(FILTER),--filter '$(FILTER)') \
	$(if $(SCALE),--scale '$(SCALE)') $(if $(DEVICE),--device '$(DEVICE)') \
	$(if $(LAUNCHES),--launches '$(LAUNCHES)') $(if $(BASELINE),--name '$(BASELINE)')
baseline compare: all
	$(Q)$(BIN)/copra-compare $@ $(GATE_FLAGS) $(if $(filter compare,$@),$(if $(ROWS),--rows) $(if $(JUNIT),--junit '$(JUNIT)')) $(ARGS)
##  make report-recorded write docs/report from results/recorded
report-recorded: $(BIN)/copra-report
	$(Q)scripts/report-recorded.sh
##  mpirun -n N build/bin/gmys-ivm solve ...   a search on several nodes (docs/CLUSTER.md)
##  make simulate        run searches on simulated clusters (needs SimGrid) and write results/simulated,
##                         in about 10 minutes on 2 cores. ARGS="table6 ours": only these experiments
##                         SIMULATE=quick: seconds, into build/simulate/quick
##  make record-tree     build build/simulate/record, which records a flowshop tree for them
.PHONY: simulate record-tree
export SIMULATE
simulate: $(SIMULATED_RANK) record-tree $(SIMULATED_REAL) $(if $(filter quick,$(SIMULATE)),,helbecque-pool mpi)
	$(if $(SMPICC),,$(error smpicc is not installed (make setup: libsimgrid-dev)))
	$(Q)python3 scripts/simulate.py $(B)simulate $(ARGS)
record-tree: $(B)simulate/record
##  make peaks           measure the peak rates of this machine again (also: make ceilings)
peaks ceilings: all
	$(Q)$(BIN)/copra-peaks --force

## Build
##  make all             build everything;  make <target> builds one target;  HIP=1: for AMD GPUs
##  make setup           install missing packages (as root) or print the command that does;
##                       SETUP=0 disables it; HIP=1 includes hipcc
##  make config          print the compilers, GPUs, libraries and tools that were found
##  make clean           remove build/; results stay
##  build/bin/copra      the command of all programs: copra solve FILE, copra --help
.PHONY: all $(TARGETS)
TOOLS := copra copra-peaks copra-instance copra-estimate copra-prove copra-report copra-history copra-compare
CHECKERS := copra-check-proof copra-check-knapsack
all: $(TARGETS) $(TOOLS:%=$(BIN)/%) $(CHECKERS:%=$(BIN)/%) $(BIN)/copra-ceilings mpi
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
$(BIN)/copra-estimate: $(call obj,algorithms/tree-search/estimate/main.c)
$(BIN)/copra-prove: $(call obj,algorithms/tree-search/proof/main.c)
# the checkers of proofs link nothing of ours
$(BIN)/copra-check-proof: $(call obj,checker/flowshop_proof.c) | $(BIN)/
	$(call say,LINK,$@)$(CC) $(ALL_LDFLAGS) -o $@ $< $(ALL_LDLIBS)
$(BIN)/copra-check-knapsack: $(call obj,checker/knapsack_proof.c) | $(BIN)/
	$(call say,LINK,$@)$(CC) $(ALL_LDFLAGS) -o $@ $< $(ALL_LDLIBS)
# the messages of a cluster, once for each MPI library; the programs load the one that started them
.PHONY: mpi
define mpi_rule
mpi: $(B)lib/copra-mpi-$(firstword $(subst =, ,$(1))).so
$(B)lib/copra-mpi-$(firstword $(subst =, ,$(1))).so: algorithms/tree-search/cluster/mpi_shim.c \
		algorithms/tree-search/cluster/mpi_shim.h | $(B)lib/
	$$(call say,MPI,$$@)$(lastword $(subst =, ,$(1))) -I. -D_GNU_SOURCE -std=c11 -O2 -g $(WARN) -Wno-stringop-overflow -fPIC \
	  -fvisibility=hidden -shared -o $$@ $$<
endef
$(foreach m,$(MPI),$(eval $(call mpi_rule,$(m))))
# a rank of a simulated cluster; SMPI loads it once for each rank, so it is one small program
CLUSTER_DIR := algorithms/tree-search/cluster
SIMULATED_SRC := $(addprefix $(CLUSTER_DIR)/,simulate/rank.c simulate/profile.c cluster.c steal.c \
	control.c message.c) harness/base/error.c
SMPI_FLAGS := -std=c11 -O2 -g -I. -D_GNU_SOURCE -DSMPI_NO_OVERRIDE_MALLOC $(WARN)
$(B)simulate/rank: $(SIMULATED_SRC) $(CLUSTER_DIR)/mpi_shim.c $(CLUSTER_DIR)/simulate/smpi_compat.h \
		$(wildcard $(CLUSTER_DIR)/*.h $(CLUSTER_DIR)/simulate/*.h) | $(B)simulate/
	$(call say,SMPI,$@)$(SMPICC) $(SMPI_FLAGS) -include $(CLUSTER_DIR)/simulate/smpi_compat.h \
	  -c -o $@-shim.o $(CLUSTER_DIR)/mpi_shim.c && \
	  $(SMPICC) $(SMPI_FLAGS) -o $@ $(SIMULATED_SRC) $@-shim.o -lm
$(B)simulate/count.so: $(CLUSTER_DIR)/simulate/count.c $(CLUSTER_DIR)/message.h | $(B)simulate/
	$(call say,MPI,$@)$(SIMULATED_MPICC) -std=c11 -O2 -I. -D_GNU_SOURCE $(WARN) -fPIC -shared -o $@ $<
$(B)simulate/pingpong: $(CLUSTER_DIR)/simulate/pingpong.c | $(B)simulate/
	$(call say,MPI,$@)$(SIMULATED_MPICC) -std=c11 -O2 -I. -D_GNU_SOURCE $(WARN) -o $@ $<
$(B)simulate/record: $(call obj,$(CLUSTER_DIR)/simulate/record.c) $(LIB) | $(B)simulate/
	$(call say,LINK,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(ALL_LDLIBS)
$(BIN)/copra-report: $(call obj,harness/report/main.c)
$(BIN)/copra-history: $(call obj,harness/compare/history/main.c)
$(BIN)/copra-compare: $(call obj,harness/compare/main.c)
$(BIN)/copra: $(call obj,front/main.c)
# the names of the targets, for copra
TARGET_NAMES := $(OBJ)/front/target_names.h
$(OBJ)/front/programs.o: private ALL_CPPFLAGS += -include $(TARGET_NAMES)
$(OBJ)/front/programs.o: $(TARGET_NAMES)
$(TARGET_NAMES): FORCE
	$(Q)mkdir -p $(@D) && echo '#define COPRA_TARGETS $(patsubst %,"%"$(comma),$(TARGETS))' >$@.new && \
	  { cmp -s $@.new $@ && rm $@.new || mv $@.new $@; }
# a small target for the tests of the harness
$(BIN)/copra-demo: $(call obj,$(wildcard tests/demo/*.c))
# each folder of docs/examples with a main.c is a program
EXAMPLES := $(patsubst docs/examples/%/main.c,example-%,$(wildcard docs/examples/*/main.c))
define example_rule
$(BIN)/example-$(1): $(call obj,$(wildcard docs/examples/$(1)/*.c))
endef
$(foreach x,$(EXAMPLES:example-%=%),$(eval $(call example_rule,$(x))))
$(addprefix $(BIN)/,$(TARGETS) $(TOOLS) $(EXAMPLES) copra-demo): $(LIB) | $(BIN)/
	$(call say,LINK,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(LIB) $(ALL_LDLIBS)

# archives are made from scratch, so that removed objects do not stay in them
$(LIB): $(OBJ_LIB)
$(LIB_TARGETS): $(ALL_TARGET_OBJ)
$(LIB_HELPERS): $(call obj,$(SRC_HELPERS))
$(LIB) $(LIB_TARGETS) $(LIB_HELPERS):
	$(call say,AR,$(notdir $@))rm -f $@ && ar rcs $@ $^

# revision, compiler and flags, for the results; rewritten only when they change
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
$(OBJ)/%.hip.o: %.cu
	$(call say,HIPCC,$<)mkdir -p $(@D) && $(HIPCC) $(HIPCCFLAGS) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<
$(OBJ)/harness/device/device_hip.o: private ALL_CPPFLAGS += $(HIP_CPPFLAGS)

## Installation (docs/INSTALL.md)
##  make install         install programs, library, data, man pages and documents
##                         PREFIX=/usr/local  DESTDIR=  BINDIR LIBDIR INCLUDEDIR DATADIR MANDIR DOCDIR
##  make uninstall       remove them; give the same folders
##  make lib             build the library: build/lib/libcopra.so and libcopra.a (library/copra.h)
##  make man             write the man pages to build/man
##  make dist            write build/copra-VERSION.tar.gz, which builds without git
VERSION := $(shell sed -n 's/^version: *//p' CITATION.cff)
$(OBJ)/checker/flowshop_proof.o $(OBJ)/checker/knapsack_proof.o: private ALL_CPPFLAGS += -DCHECKER_VERSION='"$(VERSION)"'
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
DOCDIR ?= $(DATADIR)/doc/copra
# the folder of copra.py: add it to PYTHONPATH, or give one that Python searches
PYTHONDIR ?= $(DATADIR)/copra/python
# where installed programs find their data, relative to their own folder
export COPRA_DATA_FOLDER := $(shell realpath -ms --relative-to='$(BINDIR)' '$(DATADIR)/copra' 2>/dev/null)
INSTALL_SETTINGS = BINDIR='$(BINDIR)' LIBDIR='$(LIBDIR)' INCLUDEDIR='$(INCLUDEDIR)' DATADIR='$(DATADIR)' \
	MANDIR='$(MANDIR)' DOCDIR='$(DOCDIR)' PYTHONDIR='$(PYTHONDIR)' DESTDIR='$(DESTDIR)' BIN='$(BIN)' \
	PROGRAMS='$(TARGETS) $(TOOLS) $(CHECKERS)' LIB='$(LIBRARY)' SONAME='$(SONAME)' LIBVERSION='$(VERSION)' MAN='$(MAN)'
.PHONY: install uninstall man dist
install: all lib man
	$(Q)$(INSTALL_SETTINGS) scripts/install.sh install
uninstall:
	$(Q)$(INSTALL_SETTINGS) scripts/install.sh uninstall
MAN := $(B)man
MANUALS := $(addprefix $(BIN)/,$(TARGETS) $(TOOLS) $(CHECKERS))
man: $(MAN)/stamp
$(MAN)/stamp: $(MANUALS) scripts/man-pages.sh CITATION.cff
	$(call say,MAN,$(MAN))scripts/man-pages.sh $(MAN) '$(VERSION)' $(MANUALS) && touch $@

# ---- libcopra: the members of the archives that the public functions need, nothing else ----
LIBRARY := $(B)lib
SONAME := libcopra.so.$(firstword $(subst ., ,$(VERSION)))
OBJ_LIBRARY := $(call obj,$(wildcard library/*.c))
OBJ_PUBLIC := $(OBJ)/libcopra-public.o
LIBRARY_FILES := $(addprefix $(LIBRARY)/,libcopra.so libcopra.a copra.pc)
.PHONY: lib
lib: $(LIBRARY_FILES)
$(LIBRARY)/libcopra.so: $(OBJ_LIBRARY) $(LIB_TARGETS) $(LIB) | $(LIBRARY)/
	$(call say,LINK,$@)$(CC) $(ALL_LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,-z,defs -Wl,--as-needed \
	  -Wl,--exclude-libs,ALL -o $@.$(VERSION) $(OBJ_LIBRARY) $(LIB_TARGETS) $(LIB) $(ALL_LDLIBS) && \
	  ln -sf libcopra.so.$(VERSION) $(LIBRARY)/$(SONAME) && ln -sf $(SONAME) $@
# one object whose hidden symbols are local
$(OBJ_PUBLIC): $(OBJ_LIBRARY) $(LIB_TARGETS) $(LIB)
	$(call say,LD,$(notdir $@))$(LD) -r -o $@ $^ && objcopy --localize-hidden $@
$(LIBRARY)/libcopra.a: $(OBJ_PUBLIC) | $(LIBRARY)/
	$(call say,AR,$@)rm -f $@ && ar rcs $@ $^
.PHONY: $(LIBRARY)/copra.pc
$(LIBRARY)/copra.pc: library/copra.pc.in | $(LIBRARY)/
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@INCLUDEDIR@|$(INCLUDEDIR)|; s|@VERSION@|$(VERSION)|' \
	  -e 's|@LIBS@|$(strip -pthread -fopenmp $(ALL_LDLIBS))|' $< >$@
dist:
	$(Q)scripts/dist.sh $(BUILD) '$(VERSION)'

## Tests (kernels run on the simulated device unless stated otherwise)
##  make test            unit and command-line tests; JUNIT=FILE also writes JUnit XML
##  make test-all        make test, then the unit tests under ASan+UBSan and under TSan; kernels on waves of 64 lanes
##  make test-extended   longer tests: many kills, large trees, fuzzing (SECONDS_MOST=60 per reader);
##                         kernels for all GPUs of NVIDIA from sm_75 on
##  make test-gpu        tests that need a CUDA device
##  make test-unit       only the unit tests (SAN=thread: of that build)
##  make test-waves      the tests of the published kernels on waves of 64 lanes (WAVE=32: of 32 lanes)
##  make test-cli        only the command-line tests (TESTS="tests/cli/test_x.sh ...")
.PHONY: test test-all test-waves test-waves-tuned test-limits test-unit test-cli test-gpu test-sanitize test-extended unit-binaries cli-binaries
export JUNIT
# not $(MAKE): make runs a line that contains it even under make -n
test: setup
	$(Q)MAKE='$(MAKE_COMMAND)' scripts/test.sh
test-all: setup
	$(Q)MAKE='$(MAKE_COMMAND)' scripts/test.sh --all
unit-binaries: $(UNIT_TESTS)
test-unit: unit-binaries
	$(Q)scripts/run-tests.sh --unit $(TST)
# Kernels on devices whose lanes share a program counter, with the shared memory of AMD GPUs (harness/device/sim.h).
# test_sim is not among them: it sets schedules and waves itself.
WAVE_TESTS := $(addprefix test_,device waves dp_published pool_published ivm_device ivm_resume boa_published \
	track_device track_one_call track_recover track_recover_devices track_samegame track_pfsp track_place \
	track_synthetic track_lower_bound search_watch pool_open_work search_work conservation boa_lower_bound) \
	test_boa_grid # the only kernel with WAVE_SYNC
# those of `tuned` and of the rungs between
WAVE_TESTS_TUNED := $(addprefix test_,binary dp_tuned dp_wide boa_batch boa_large boa_problems boa_rungs hboa_tuned \
	ivm_ladder ivm_team open_work tuned_intervals pool_ladder tuned_queens track_archive track_engine track_engine_devices \
	track_engine_limits track_example track_ladder by_set by_set_twosided depth_first depth_first_checkpoint \
	depth_first_sharing flowshop_trees peaks)
on_waves = COPRA_TEST_LABEL='waves of $(or $(WAVE),64), $(2)' COPRA_SIM_WAVE=$(or $(WAVE),64) COPRA_SIM_SCHEDULE=$(2) COPRA_TEST_SCHEDULE=$(2) \
	COPRA_SIM_SHARED=64K COPRA_SIM_CLUSTER=0 scripts/run-tests.sh --unit $(TST) $(1)
test-waves: unit-binaries
	$(Q)$(call on_waves,$(WAVE_TESTS),random)
test-waves-tuned: unit-binaries
	$(Q)$(call on_waves,$(WAVE_TESTS_TUNED),random)
	$(Q)$(call on_waves,$(WAVE_TESTS) $(WAVE_TESTS_TUNED),reverse)
# the same kernels under the limits of sm_75, with 1 GB of memory
test-limits: unit-binaries
	$(Q)COPRA_TEST_LABEL='limits of sm_75' COPRA_SIM_SHARED=64K COPRA_SIM_SM_THREADS=1024 COPRA_SIM_SM_BLOCKS=16 \
	  COPRA_SIM_CLUSTER=0 scripts/run-tests.sh --unit $(TST) $(WAVE_TESTS) $(WAVE_TESTS_TUNED)
cli-binaries: all lib man $(EXAMPLES:%=$(BIN)/%) $(BIN)/copra-demo $(SIMULATED_RANK)
test-cli: cli-binaries
	$(Q)scripts/run-tests.sh --cli $(BIN) $(TESTS)
test-gpu: all $(GPU_TESTS)
	$(Q)scripts/run-tests.sh --gpu $(TST)/gpu
test-sanitize:
	$(Q)$(MAKE) --no-print-directory -j$(JOBS) SAN=address,undefined test-unit
	$(Q)$(MAKE) --no-print-directory -j$(JOBS) SAN=thread test-unit
# these tests run more rounds when COPRA_TEST_EXTENDED is set
test-extended: unit-binaries cli-binaries
	$(Q)$(MAKE) --no-print-directory test-waves-tuned test-limits
	$(Q)COPRA_TEST_EXTENDED=1 $(TST)/test_flowshop_trees
	$(Q)COPRA_TEST_EXTENDED=1 $(TST)/test_cluster_search
	$(Q)COPRA_TEST_EXTENDED=1 scripts/run-tests.sh --cli $(BIN) $$(grep -l COPRA_TEST_EXTENDED tests/cli/test_*.sh)
	$(Q)if command -v clang >/dev/null; then $(MAKE) --no-print-directory fuzz SECONDS_MOST=$(or $(SECONDS_MOST),60); \
	  else echo "clang is not installed: no fuzzing"; fi
	$(Q)$(if $(filter 1,$(CUDA)),$(MAKE) --no-print-directory -j$(JOBS) all-gpus,echo "nvcc is not used: kernels are not compiled for all GPUs")
# compiles all kernels for every kind of GPU that nvcc and hipcc know here; runs nothing
ALL_CUDA := $(foreach a,75 80 86 89 90 100 120,-gencode=arch=compute_$(a),code=sm_$(a))
.PHONY: all-gpus kernel-objects
all-gpus:
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/all-gpus CUDA=1 CUDA_ARCH='$(ALL_CUDA)' HIP=$(HIP) kernel-objects
kernel-objects: $(filter %.cuda.o %.hip.o,$(OBJ_KERNELS))
## Development
##  make format          format all C and CUDA sources with clang-format
.PHONY: format
format:
	$(Q)scripts/sources.sh | xargs clang-format -i

TEST_LIBS := -lcmocka
define unit_test_rule
$(TST)/$(basename $(notdir $(1))): $(OBJ)/$(1:.c=.o) $(LIB_HELPERS) $(LIB_TARGETS) $(LIB) | $(TST)/
	$$(call say,LINK,$$@)$$(CC) $$(ALL_LDFLAGS) -o $$@ $$< $(LIB_HELPERS) $(LIB_TARGETS) $(LIB) $(TEST_LIBS) $(ALL_LDLIBS)
endef
$(foreach t,$(SRC_UNIT),$(eval $(call unit_test_rule,$(t))))
# test_conservation replaces these functions with versions that lose nodes and intervals
LOSING := balance_check balance_check_all balance_equal task_team_take sets_cpu_add_segment pool_deque_steal \
	pool_deque_branch pool_deque_pop_back pool_queens_deal ivm_explorer_start ivm_explorer_split \
	ivm_interval_list_move ivm_device_take ivm_steal_sim ivm_steal_each_sim ivm_dealer_take dfs_device_round sets_device_run
$(TST)/test_conservation: private ALL_LDFLAGS += $(LOSING:%=-Wl,--wrap=%)
# test_cluster_search makes the allocations of the state machines fail
$(TST)/test_cluster_search: private ALL_LDFLAGS += -Wl,--wrap=malloc,--wrap=calloc
# test_joining makes all devices but the first fail to open
$(TST)/test_joining: private ALL_LDFLAGS += -Wl,--wrap=dfs_device_open,--wrap=sets_device_open
# test_begin_on_cores delays the devices
$(TST)/test_begin_on_cores: private ALL_LDFLAGS += -Wl,--wrap=dev_set_open_first
$(TST)/gpu/%: $(OBJ)/tests/gpu/%.o $(LIB_HELPERS) $(LIB_TARGETS) $(LIB) | $(TST)/gpu/
	$(call say,LINK,$@)$(CC) $(ALL_LDFLAGS) -o $@ $< $(LIB_HELPERS) $(LIB_TARGETS) $(LIB) $(TEST_LIBS) $(ALL_LDLIBS)

# test_faults replaces these functions with versions that can fail: tests/faults/inject.c
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

##  make fuzz            fuzz every reader of input files (needs clang's libFuzzer)
##                         READER="atsp csv"  RUNS=1000000  SECONDS_MOST=600
.PHONY: fuzz fuzz-binaries
export READER RUNS SECONDS_MOST
fuzz:
	$(Q)$(MAKE) --no-print-directory CC=clang CXX=clang++ CFLAGS=-w CXXFLAGS="-w -fno-sanitize=function" \
	  SAN=address,undefined,fuzzer-no-link fuzz-binaries
	$(Q)scripts/fuzz.sh $(BUILD)/san-address-undefined-fuzzer-no-link/fuzz
FUZZ_READERS := $(patsubst reader_%.c,%,$(notdir $(SRC_FUZZ)))
fuzz-binaries: $(FUZZ_READERS:%=$(B)fuzz/%)
# only the sources that the readers need, because clang takes long to compile all kernels
FUZZ_LIB := $(OBJ)/libreaders.a
$(FUZZ_LIB): $(call obj,$(filter harness/% datasets/%,$(SRC_LIB)) \
		algorithms/tree-search/checkpoint.c algorithms/tree-search/labels.c \
		algorithms/tree-search/exchange.c algorithms/tree-search/flowshop/fsp_improve.c algorithms/tree-search/flowshop/fsp_start.c \
		algorithms/tree-search/flowshop/fsp_greedy.c algorithms/tree-search/flowshop/fsp_tables.c $(FUZZ_WORLD)) \
		$(patsubst %.cu,$(OBJ)/%.sim.o,$(wildcard kernels/peaks/*.cu)) $(BUILD_INFO:.c=.o)
	$(call say,AR,$(notdir $@))rm -f $@ && ar rcs $@ $^
define fuzz_rule
$(B)fuzz/$(patsubst reader_%.c,%,$(notdir $(1))): $(OBJ)/$(1:.c=.o)
endef
$(foreach f,$(SRC_FUZZ),$(eval $(call fuzz_rule,$(f))))
$(FUZZ_READERS:%=$(B)fuzz/%): $(call obj,$(FUZZ_FRAME) tests/fuzz/libfuzzer.c) $(FUZZ_LIB) | $(B)fuzz/
	$(call say,LINK,$@)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(FUZZ_LIB) $(ALL_LDLIBS)

# ---- set-up, new targets, help ------------------------------------------------------------------
.PHONY: setup config help clean
setup:
	$(Q)HIP=$(HIP) scripts/setup.sh
config:
	$(Q)CC="$(CC)" CXX="$(CXX)" NVCC="$(NVCC)" CUDA=$(CUDA) HIPCC="$(HIPCC)" HIP=$(HIP) HIP_ARCHS="$(HIP_ARCHS)" JANSSON=$(if $(JANSSON_PREFIX),1,$(call has,jansson)) CMOCKA=$(CMOCKA) \
	  MPI="$(MPI)" FLAGS="$(ALL_CFLAGS)" scripts/config.sh
##  make new-target NAME=x     create a small, complete, tested target (docs/NEW-TARGET.md)
.PHONY: new-target
new-target:
	$(Q)scripts/new-target.sh '$(NAME)'
##  make remove-target NAME=x  remove a target made by make new-target, with its tests and results;
##                             refused if git tracks it
.PHONY: remove-target
remove-target:
	$(Q)scripts/remove-target.sh '$(NAME)'
clean:
	rm -rf $(BUILD)
help:
	@sed -n 's/^##//p' $(MAKEFILE_LIST)

%/:
	@mkdir -p $@
.PRECIOUS: %/ $(OBJ)/%.o $(OBJ)/%.sim.o $(OBJ)/%.cuda.o $(OBJ)/%.hip.o
-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)
