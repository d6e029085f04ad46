// Loops, dominators, alias queries and target facts of one run.
#include "shim.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/Loads.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using tessera::Context;

static Loop *loop(void *L) { return static_cast<Loop *>(L); }

extern "C" {

LLVMValueRef tessera_function(Context *C) { return wrap(C->F); }

// In program order (LoopInfo keeps them in reverse).
size_t tessera_top_level_loops(Context *C, void **Buffer, size_t Capacity) {
  SmallVector<Loop *, 8> Loops(C->LI->rbegin(), C->LI->rend());
  return tessera::fill(Loops, Buffer, Capacity);
}

size_t tessera_loop_children(void *L, void **Buffer, size_t Capacity) {
  return tessera::fill(*loop(L), Buffer, Capacity);
}

void *tessera_loop_of(Context *C, LLVMBasicBlockRef B) { return C->LI->getLoopFor(unwrap(B)); }
LLVMBasicBlockRef tessera_loop_header(void *L) { return wrap(loop(L)->getHeader()); }
void *tessera_loop_parent(void *L) { return loop(L)->getParentLoop(); }
unsigned tessera_loop_depth(void *L) { return loop(L)->getLoopDepth(); }
LLVMBasicBlockRef tessera_loop_latch(void *L) { return wrap(loop(L)->getLoopLatch()); }
LLVMBasicBlockRef tessera_loop_predecessor(void *L) { return wrap(loop(L)->getLoopPredecessor()); }
LLVMBasicBlockRef tessera_loop_preheader(void *L) { return wrap(loop(L)->getLoopPreheader()); }
int tessera_loop_contains(void *L, LLVMBasicBlockRef B) { return loop(L)->contains(unwrap(B)); }

// Reverse post-order, the header first.
size_t tessera_loop_blocks(Context *C, void *L, LLVMBasicBlockRef *Buffer, size_t Capacity) {
  LoopBlocksRPO Order(loop(L));
  Order.perform(C->LI);
  size_t N = 0;
  for (BasicBlock *B : Order) {
    if (N < Capacity)
      Buffer[N] = wrap(B);
    ++N;
  }
  return N;
}

// Pairs (block inside, block outside), flattened.
size_t tessera_loop_exit_edges(void *L, LLVMBasicBlockRef *Buffer, size_t Capacity) {
  SmallVector<Loop::Edge, 8> Edges;
  loop(L)->getExitEdges(Edges);
  size_t N = 0;
  for (auto &Edge : Edges) {
    if (N + 1 < Capacity) {
      Buffer[N] = wrap(Edge.first);
      Buffer[N + 1] = wrap(Edge.second);
    }
    N += 2;
  }
  return N;
}

int tessera_loop_location(void *L, uint32_t *LineColumn, char *Buffer, size_t Capacity, size_t *Length) {
  return tessera::fillLocation(tessera::loopLocation(*loop(L)), LineColumn, Buffer, Capacity, Length);
}

// Where code that stands for the whole loop comes from: the loop's place, or line 0 of the function; null without debug information.
LLVMMetadataRef tessera_loop_debug_location(Context *C, void *L) {
  if (DebugLoc Start = tessera::loopLocation(*loop(L)))
    return wrap(static_cast<Metadata *>(Start.get()));
  DISubprogram *Program = C->F->getSubprogram();
  return Program ? wrap(static_cast<Metadata *>(DILocation::get(C->F->getContext(), 0, 0, Program))) : nullptr;
}

// The properties in the metadata of a loop (`llvm.loop`), without its reference to itself and without source lines.
size_t tessera_loop_properties(void *L, LLVMMetadataRef *Buffer, size_t Capacity) {
  MDNode *Id = loop(L)->getLoopID();
  size_t N = 0;
  for (unsigned I = 1; Id && I < Id->getNumOperands(); ++I) {
    auto *Property = dyn_cast<MDNode>(Id->getOperand(I));
    if (!Property || Property->getNumOperands() == 0 || !isa<MDString>(Property->getOperand(0)))
      continue;
    if (N < Capacity)
      Buffer[N] = wrap(static_cast<Metadata *>(Property));
    ++N;
  }
  return N;
}

size_t tessera_property_name(LLVMMetadataRef Property, char *Buffer, size_t Capacity) {
  return tessera::fillText(cast<MDString>(cast<MDNode>(unwrap(Property))->getOperand(0))->getString(), Buffer, Capacity);
}

// The first operand of a property as a number, zero-extended; `Default` when it has none.
int64_t tessera_property_value(LLVMMetadataRef Property, int64_t Default) {
  auto *Node = cast<MDNode>(unwrap(Property));
  auto *Number = Node->getNumOperands() > 1 ? mdconst::dyn_extract<ConstantInt>(Node->getOperand(1)) : nullptr;
  return Number && Number->getBitWidth() <= 32 ? int64_t(Number->getZExtValue()) : Default;
}

// Whether the access is in one of the groups whose accesses carry no dependences among each other in this loop.
int tessera_is_parallel_access(void *L, LLVMValueRef Access) {
  MDNode *Id = loop(L)->getLoopID();
  MDNode *Groups = cast<Instruction>(unwrap(Access))->getMetadata(LLVMContext::MD_access_group);
  if (!Id || !Groups)
    return 0;
  SmallPtrSet<const Metadata *, 4> Own;
  if (Groups->getNumOperands() == 0)
    Own.insert(Groups);
  for (const MDOperand &Group : Groups->operands())
    Own.insert(Group.get());
  for (unsigned I = 1; I < Id->getNumOperands(); ++I) {
    auto *Property = dyn_cast<MDNode>(Id->getOperand(I));
    auto *Name = Property && Property->getNumOperands() ? dyn_cast<MDString>(Property->getOperand(0)) : nullptr;
    if (!Name || Name->getString() != "llvm.loop.parallel_accesses")
      continue;
    for (const MDOperand &Group : drop_begin(Property->operands()))
      if (Own.contains(Group.get()))
        return 1;
  }
  return 0;
}

int tessera_dominates(Context *C, LLVMBasicBlockRef A, LLVMBasicBlockRef B) {
  return C->DT->dominates(unwrap(A), unwrap(B));
}

// Whether the value is available at the start of the block.
int tessera_value_dominates_block(Context *C, LLVMValueRef V, LLVMBasicBlockRef B) {
  auto *I = dyn_cast<Instruction>(unwrap(V));
  return !I || C->DT->dominates(I, unwrap(B));
}

int tessera_is_reachable(Context *C, LLVMBasicBlockRef B) { return C->DT->isReachableFromEntry(unwrap(B)); }

// Whether nothing reachable from A overlaps anything reachable from B by address arithmetic, also across iterations. With access
// instructions given, their type-based tags are used; scope tags are not, since they may hold within one iteration only.
int tessera_no_alias(Context *C, LLVMValueRef A, LLVMValueRef AccessA, LLVMValueRef B, LLVMValueRef AccessB) {
  auto location = [](LLVMValueRef Pointer, LLVMValueRef Access) {
    AAMDNodes Tags;
    if (Access) {
      if (auto *I = dyn_cast<Instruction>(unwrap(Access))) {
        Tags = I->getAAMetadata();
        Tags.Scope = nullptr;
        Tags.NoAlias = nullptr;
        Tags.NoAliasAddrSpace = nullptr;
      }
    }
    return MemoryLocation::getBeforeOrAfter(unwrap(Pointer), Tags);
  };
  BatchAAResults Batch(*C->AA);
  Batch.enableCrossIterationMode();
  return Batch.isNoAlias(location(A, AccessA), location(B, AccessB));
}

// Whether so many bytes from the pointer on can be read right before the instruction.
int tessera_is_dereferenceable(Context *C, LLVMValueRef Pointer, uint64_t Bytes, LLVMValueRef At) {
  const DataLayout &DL = C->F->getDataLayout();
  Value *P = unwrap(Pointer);
  return isDereferenceableAndAlignedPointer(P, Align(1), APInt(DL.getIndexTypeSizeInBits(P->getType()), Bytes), DL,
                                            cast<Instruction>(unwrap(At)), C->AC, C->DT, C->TLI);
}

int tessera_is_null_pointer(LLVMValueRef V) { return isa<ConstantPointerNull>(unwrap(V)); }

// Whether a pointer is poison or not null, by its attributes and by how it is computed.
int tessera_is_non_null(Context *C, LLVMValueRef Pointer) {
  // Where there may be an object at null, address arithmetic may reach it.
  if (NullPointerIsDefined(C->F, unwrap(Pointer)->getType()->getPointerAddressSpace()))
    return 0;
  return isKnownNonZero(unwrap(Pointer), SimplifyQuery(C->F->getDataLayout(), C->DT, C->AC));
}

// The size in bytes, or -1 for types without a fixed one. Kind: 0 = allocation, 1 = store, 2 = ABI alignment.
int64_t tessera_type_size(Context *C, LLVMTypeRef T, int Kind) {
  Type *Ty = unwrap(T);
  const DataLayout &DL = C->F->getDataLayout();
  if (!Ty->isSized() || Ty->isScalableTy())
    return -1;
  if (Kind == 0)
    return int64_t(DL.getTypeAllocSize(Ty).getFixedValue());
  if (Kind == 1)
    return int64_t(DL.getTypeStoreSize(Ty).getFixedValue());
  return int64_t(DL.getABITypeAlign(Ty).value());
}

// The width of addresses (the index type) in an address space.
unsigned tessera_index_bits(Context *C, unsigned AddressSpace) { return C->F->getDataLayout().getIndexSizeInBits(AddressSpace); }
int tessera_is_non_integral(Context *C, unsigned AddressSpace) {
  return C->F->getDataLayout().isNonIntegralAddressSpace(AddressSpace);
}
// The width of a pointer, which may hold more than an address.
unsigned tessera_pointer_bits(Context *C, unsigned AddressSpace) {
  return C->F->getDataLayout().getPointerSizeInBits(AddressSpace);
}
// The target as the module names it; empty when it does not.
size_t tessera_triple(Context *C, char *Buffer, size_t Capacity) {
  return tessera::fillText(C->F->getParent()->getTargetTriple().str(), Buffer, Capacity);
}

// Whether the value is neither undef nor poison, whatever the program does: right before the instruction or, without one, always.
int tessera_is_defined(Context *C, LLVMValueRef V, LLVMValueRef At) {
  const Instruction *Place = At ? dyn_cast<Instruction>(unwrap(At)) : nullptr;
  return isGuaranteedNotToBeUndefOrPoison(unwrap(V), Place ? C->AC : nullptr, Place, Place ? C->DT : nullptr);
}
}
