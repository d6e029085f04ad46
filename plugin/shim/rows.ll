; The list of byte ranges that the guard makes of rows which lie in no order (src/emit/row_list.rs), and the question whether any two overlap that
; must not. `row_list.cpp` puts these functions into modules that need them.
;
; A list is memory of `malloc`, in words of 64 bits. (Its length is odd, so that tests can tell it from other memory, which lies at multiples of lines.)
;
;   0  how many ranges there are       4 + 3 f  the bytes of a range of family f
;   1  for how many there is room      5 + 3 f  bit g is set if it must not overlap one of family g
;   2  the most that may come          6 + 3 f  the first address + 1 of the last one, or 0; at the end the highest end so far
;   3  families, at most 64            then     per range, its first address times 256, plus its family

declare ptr @malloc(i64)
declare void @free(ptr)

; Adds a range to the list at `place`, which may move. False if it has too many, its address is too high, or there is no memory: then the list is only given back.
; The last range of a family again is there already, but where the family's ranges must not overlap each other: a table for each of its rows.
define internal i1 @tessera.rows.add(ptr %place, i64 %start, i64 %family) #0 {
entry:
  %list = load ptr, ptr %place, align 8
  %count = load i64, ptr %list, align 8
  %capacity.at = getelementptr i8, ptr %list, i64 8
  %capacity = load i64, ptr %capacity.at, align 8
  %most.at = getelementptr i8, ptr %list, i64 16
  %most = load i64, ptr %most.at, align 8
  %families.at = getelementptr i8, ptr %list, i64 24
  %families = load i64, ptr %families.at, align 8
  %offset = mul i64 %family, 24
  %own.words = getelementptr i8, ptr %list, i64 %offset
  %mask.at = getelementptr i8, ptr %own.words, i64 40
  %last.at = getelementptr i8, ptr %own.words, i64 48
  %mask = load i64, ptr %mask.at, align 8
  %last = load i64, ptr %last.at, align 8
  %behind = add i64 %start, 1
  %is.last = icmp eq i64 %behind, %last
  %own.mask = lshr i64 %mask, %family
  %must.differ = trunc i64 %own.mask to i1
  %may.repeat = xor i1 %must.differ, true
  %is.there = and i1 %is.last, %may.repeat
  br i1 %is.there, label %end, label %new

new:
  %is.low = icmp ult i64 %start, 36028797018963968 ; 2^55
  %is.few = icmp ult i64 %count, %most
  %may.come = and i1 %is.low, %is.few
  br i1 %may.come, label %room, label %end

room:
  %triples = mul i64 %families, 3
  %header = add i64 %triples, 4
  %at = add i64 %header, %count
  store i64 %behind, ptr %last.at, align 8
  %is.full = icmp eq i64 %count, %capacity
  br i1 %is.full, label %grow, label %store

grow:
  %twice = shl i64 %capacity, 1
  %words = add i64 %header, %twice
  %odd = or i64 %words, 1
  %bytes = shl i64 %odd, 3
  %grown = call ptr @malloc(i64 %bytes)
  %is.none = icmp eq ptr %grown, null
  br i1 %is.none, label %end, label %copy

copy:
  %c = phi i64 [ 0, %grow ], [ %c.next, %copy ]
  %c.from = getelementptr i64, ptr %list, i64 %c
  %c.to = getelementptr i64, ptr %grown, i64 %c
  %word = load i64, ptr %c.from, align 8
  store i64 %word, ptr %c.to, align 8
  %c.next = add i64 %c, 1
  %more.words = icmp ult i64 %c.next, %at
  br i1 %more.words, label %copy, label %moved

moved:
  %capacity.new = getelementptr i8, ptr %grown, i64 8
  store i64 %twice, ptr %capacity.new, align 8
  call void @free(ptr %list)
  store ptr %grown, ptr %place, align 8
  br label %store

store:
  %now = phi ptr [ %list, %room ], [ %grown, %moved ]
  %shifted = shl i64 %start, 8
  %range = or i64 %shifted, %family
  %slot = getelementptr i64, ptr %now, i64 %at
  store i64 %range, ptr %slot, align 8
  %more = add i64 %count, 1
  store i64 %more, ptr %now, align 8
  br label %end

end:
  %result = phi i1 [ true, %entry ], [ false, %new ], [ false, %grow ], [ true, %store ]
  ret i1 %result
}

; Adds a range to the tables and rows at `place` (null: none yet) that are told apart while tables are read. False if it overlaps one of the other side that it must
; not, if its address is too high, or if there is no memory: then what is at `place` is only given back. `list` has the families, of which bits say which ones are `tables`
; and which ones are `rows`. A table is there once: nothing is compared again if it is looked at for each of its rows.
;
; Ranges are chained by side and by the cell of memory where they begin. A cell is at least as long as the longest range: what overlaps a range begins in one of three. Rows that are
; apart are few per cell, or so short that a table has about as many entries: so this takes about as long per range however many there are.
;
;   0  how many ranges there are            3  the bytes of the longest
;   1  for how many there is room, 2^n: n   4  2^n chains: the number + 1 of the range that came last, or 0
;   2  a cell has 2^n bytes: n              then 2^n ranges: first address times 256, plus the family; and the number + 1 of the next in the chain
define internal i1 @tessera.rows.near(ptr %list, ptr %place, i64 %start, i64 %family, i64 %tables, i64 %rows) #0 {
entry:
  %first.family = getelementptr i8, ptr %list, i64 32
  %own.words = mul i64 %family, 3
  %length.at = getelementptr i64, ptr %first.family, i64 %own.words
  %mask.at = getelementptr i8, ptr %length.at, i64 8
  %length = load i64, ptr %length.at, align 8
  %mask = load i64, ptr %mask.at, align 8
  %shifted = shl i64 %start, 8
  %range = or i64 %shifted, %family
  %own.bit = lshr i64 %tables, %family
  %side = and i64 %own.bit, 1
  %other.side = xor i64 %side, 1
  %is.table = trunc i64 %own.bit to i1
  %old = load ptr, ptr %place, align 8
  %is.new = icmp eq ptr %old, null
  %is.low = icmp ult i64 %start, 36028797018963968 ; 2^55
  br i1 %is.low, label %known, label %end

known:
  br i1 %is.new, label %measure, label %counted

counted:
  %old.count = load i64, ptr %old, align 8
  %old.bits.at = getelementptr i8, ptr %old, i64 8
  %old.bits = load i64, ptr %old.bits.at, align 8
  %old.room = shl i64 1, %old.bits
  %is.full = icmp eq i64 %old.count, %old.room
  br i1 %is.full, label %larger, label %room

larger:
  %old.cell.at = getelementptr i8, ptr %old, i64 16
  %old.cell = load i64, ptr %old.cell.at, align 8
  %old.longest.at = getelementptr i8, ptr %old, i64 24
  %old.longest = load i64, ptr %old.longest.at, align 8
  %more.bits = add i64 %old.bits, 1
  br label %make

; The longest range of a table or row, and the least power of two that is as long
measure:
  %families.at = getelementptr i8, ptr %list, i64 24
  %families = load i64, ptr %families.at, align 8
  %told = or i64 %tables, %rows
  br label %each.family

each.family:
  %f = phi i64 [ 0, %measure ], [ %f.next, %each.family ]
  %f.longest = phi i64 [ 1, %measure ], [ %f.longer, %each.family ]
  %f.words = mul i64 %f, 3
  %f.at = getelementptr i64, ptr %first.family, i64 %f.words
  %f.length = load i64, ptr %f.at, align 8
  %f.bit = lshr i64 %told, %f
  %f.is.told = trunc i64 %f.bit to i1
  %f.exceeds = icmp sgt i64 %f.length, %f.longest
  %f.counts = and i1 %f.is.told, %f.exceeds
  %f.longer = select i1 %f.counts, i64 %f.length, i64 %f.longest
  %f.next = add i64 %f, 1
  %f.more = icmp ult i64 %f.next, %families
  br i1 %f.more, label %each.family, label %power

power:
  %p = phi i64 [ 0, %each.family ], [ %p.next, %power ]
  %p.bytes = shl i64 1, %p
  %p.next = add i64 %p, 1
  %p.is.less = icmp ult i64 %p.bytes, %f.longer
  br i1 %p.is.less, label %power, label %make

make:
  %bits = phi i64 [ 6, %power ], [ %more.bits, %larger ]
  %cell = phi i64 [ %p, %power ], [ %old.cell, %larger ]
  %longest = phi i64 [ %f.longer, %power ], [ %old.longest, %larger ]
  %count = phi i64 [ 0, %power ], [ %old.count, %larger ]
  %chains = shl i64 1, %bits
  %thrice = mul i64 %chains, 3
  %words = add i64 %thrice, 5
  %bytes = shl i64 %words, 3
  %made = call ptr @malloc(i64 %bytes)
  %is.none = icmp eq ptr %made, null
  br i1 %is.none, label %end, label %begin

begin:
  store i64 %count, ptr %made, align 8
  %bits.at = getelementptr i8, ptr %made, i64 8
  store i64 %bits, ptr %bits.at, align 8
  %cell.at = getelementptr i8, ptr %made, i64 16
  store i64 %cell, ptr %cell.at, align 8
  %longest.at = getelementptr i8, ptr %made, i64 24
  store i64 %longest, ptr %longest.at, align 8
  %made.chains = getelementptr i8, ptr %made, i64 32
  %made.ranges = getelementptr i64, ptr %made.chains, i64 %chains
  %old.chains = getelementptr i8, ptr %old, i64 32
  %half = lshr i64 %chains, 1
  %old.ranges = getelementptr i64, ptr %old.chains, i64 %half
  %made.unused = sub i64 64, %bits
  br label %clear

clear:
  %c = phi i64 [ 0, %begin ], [ %c.next, %clear ]
  %c.at = getelementptr i64, ptr %made.chains, i64 %c
  store i64 0, ptr %c.at, align 8
  %c.next = add i64 %c, 1
  %more.chains = icmp ult i64 %c.next, %chains
  br i1 %more.chains, label %clear, label %cleared

cleared:
  br i1 %is.new, label %moved, label %move

move:
  %m = phi i64 [ 0, %cleared ], [ %m.next, %move ]
  %m.words = shl i64 %m, 1
  %m.from = getelementptr i64, ptr %old.ranges, i64 %m.words
  %m.to = getelementptr i64, ptr %made.ranges, i64 %m.words
  %m.range = load i64, ptr %m.from, align 8
  %m.family = and i64 %m.range, 255
  %m.bit = lshr i64 %tables, %m.family
  %m.side = and i64 %m.bit, 1
  %m.start = lshr i64 %m.range, 8
  %m.cell = lshr i64 %m.start, %cell
  %m.twice = shl i64 %m.cell, 1
  %m.key = or i64 %m.twice, %m.side
  %m.mixed = mul i64 %m.key, -7046029254386353131
  %m.chain = lshr i64 %m.mixed, %made.unused
  %m.chain.at = getelementptr i64, ptr %made.chains, i64 %m.chain
  %m.after = load i64, ptr %m.chain.at, align 8
  store i64 %m.range, ptr %m.to, align 8
  %m.after.at = getelementptr i8, ptr %m.to, i64 8
  store i64 %m.after, ptr %m.after.at, align 8
  %m.next = add i64 %m, 1
  store i64 %m.next, ptr %m.chain.at, align 8
  %more.moves = icmp ult i64 %m.next, %count
  br i1 %more.moves, label %move, label %moved

moved:
  store ptr %made, ptr %place, align 8
  call void @free(ptr %old)
  br label %room

room:
  %now = phi ptr [ %old, %counted ], [ %made, %moved ]
  %now.count = load i64, ptr %now, align 8
  %now.bits.at = getelementptr i8, ptr %now, i64 8
  %now.bits = load i64, ptr %now.bits.at, align 8
  %now.cell.at = getelementptr i8, ptr %now, i64 16
  %now.cell = load i64, ptr %now.cell.at, align 8
  %now.longest.at = getelementptr i8, ptr %now, i64 24
  %now.longest = load i64, ptr %now.longest.at, align 8
  %now.chains = getelementptr i8, ptr %now, i64 32
  %now.room = shl i64 1, %now.bits
  %now.ranges = getelementptr i64, ptr %now.chains, i64 %now.room
  %unused = sub i64 64, %now.bits
  %own.cell = lshr i64 %start, %now.cell
  %own.twice = shl i64 %own.cell, 1
  %own.key = or i64 %own.twice, %side
  %own.mixed = mul i64 %own.key, -7046029254386353131
  %own.chain = lshr i64 %own.mixed, %unused
  %own.chain.at = getelementptr i64, ptr %now.chains, i64 %own.chain
  %own.first = load i64, ptr %own.chain.at, align 8
  br i1 %is.table, label %same, label %around

; Is the table there?
same:
  %s = phi i64 [ %own.first, %room ], [ %s.after, %same.range ]
  %s.is.none = icmp eq i64 %s, 0
  br i1 %s.is.none, label %around, label %same.range

same.range:
  %s.number = add i64 %s, -1
  %s.words = shl i64 %s.number, 1
  %s.at = getelementptr i64, ptr %now.ranges, i64 %s.words
  %s.range = load i64, ptr %s.at, align 8
  %s.after.at = getelementptr i8, ptr %s.at, i64 8
  %s.after = load i64, ptr %s.after.at, align 8
  %is.there = icmp eq i64 %s.range, %range
  br i1 %is.there, label %end, label %same

; From the cell where the first range begins that might reach the start to that of the last byte
around:
  %end.own = add i64 %start, %length
  %last.byte = add i64 %end.own, -1
  %before = sub i64 %start, %now.longest
  %is.near.zero = icmp ult i64 %start, %now.longest
  %lowest = select i1 %is.near.zero, i64 0, i64 %before
  %low.cell = lshr i64 %lowest, %now.cell
  %last.cell = lshr i64 %last.byte, %now.cell
  br label %each.cell

each.cell:
  %at = phi i64 [ %low.cell, %around ], [ %at.next, %cell.end ]
  %at.twice = shl i64 %at, 1
  %at.key = or i64 %at.twice, %other.side
  %at.mixed = mul i64 %at.key, -7046029254386353131
  %at.chain = lshr i64 %at.mixed, %unused
  %at.chain.at = getelementptr i64, ptr %now.chains, i64 %at.chain
  %at.first = load i64, ptr %at.chain.at, align 8
  br label %other

other:
  %o = phi i64 [ %at.first, %each.cell ], [ %o.after, %compare ]
  %o.is.none = icmp eq i64 %o, 0
  br i1 %o.is.none, label %cell.end, label %compare

compare:
  %o.number = add i64 %o, -1
  %o.words = shl i64 %o.number, 1
  %o.at = getelementptr i64, ptr %now.ranges, i64 %o.words
  %o.range = load i64, ptr %o.at, align 8
  %o.after.at = getelementptr i8, ptr %o.at, i64 8
  %o.after = load i64, ptr %o.after.at, align 8
  %o.family = and i64 %o.range, 255
  %o.start = lshr i64 %o.range, 8
  %o.family.words = mul i64 %o.family, 3
  %o.length.at = getelementptr i64, ptr %first.family, i64 %o.family.words
  %o.length = load i64, ptr %o.length.at, align 8
  %o.end = add i64 %o.start, %o.length
  %o.bit = lshr i64 %mask, %o.family
  %must.not = trunc i64 %o.bit to i1
  %is.below = icmp ult i64 %start, %o.end
  %is.above = icmp ult i64 %o.start, %end.own
  %overlap = and i1 %is.below, %is.above
  %is.wrong = and i1 %overlap, %must.not
  br i1 %is.wrong, label %end, label %other

cell.end:
  %at.next = add i64 %at, 1
  %more.cells = icmp ule i64 %at.next, %last.cell
  br i1 %more.cells, label %each.cell, label %store

store:
  %to.words = shl i64 %now.count, 1
  %to = getelementptr i64, ptr %now.ranges, i64 %to.words
  store i64 %range, ptr %to, align 8
  %to.after = getelementptr i8, ptr %to, i64 8
  store i64 %own.first, ptr %to.after, align 8
  %more = add i64 %now.count, 1
  store i64 %more, ptr %own.chain.at, align 8
  store i64 %more, ptr %now, align 8
  br label %end

end:
  %result = phi i1 [ false, %entry ], [ false, %make ], [ true, %same.range ], [ false, %compare ], [ true, %store ]
  ret i1 %result
}

; Whether no range of a list overlaps one that it must not; once per list. Sorts the ranges: family by family, as each may be in order, then by merging
; what is in order from one half of the memory into the other until all is. Behind ends that are known, a range begins where no earlier one ends.
define internal i1 @tessera.rows.apart(ptr %list) #0 {
entry:
  %count = load i64, ptr %list, align 8
  %families.at = getelementptr i8, ptr %list, i64 24
  %families = load i64, ptr %families.at, align 8
  %first.family = getelementptr i8, ptr %list, i64 32
  %triples = mul i64 %families, 3
  %ranges = getelementptr i64, ptr %first.family, i64 %triples
  ; One more than there are: what is skipped is written, too.
  %words = add i64 %count, 1
  %odd = or i64 %words, 1
  %bytes = shl i64 %odd, 3
  %other = call ptr @malloc(i64 %bytes)
  %is.none = icmp eq ptr %other, null
  %is.empty = icmp eq i64 %count, 0
  %has.nothing = or i1 %is.none, %is.empty
  br i1 %has.nothing, label %end, label %forget

; No family has an end yet.
forget:
  %z = phi i64 [ 0, %entry ], [ %z.next, %forget ]
  %z.words = mul i64 %z, 24
  %z.offset = add i64 %z.words, 16
  %z.at = getelementptr i8, ptr %first.family, i64 %z.offset
  store i64 0, ptr %z.at, align 8
  %z.next = add i64 %z, 1
  %more.forget = icmp ult i64 %z.next, %families
  br i1 %more.forget, label %forget, label %family

; other = the ranges of family 0, those of family 1, and so on
family:
  %f = phi i64 [ 0, %forget ], [ %f.next, %family.end ]
  %k.family = phi i64 [ 0, %forget ], [ %k.next, %family.end ]
  br label %split

split:
  %i.split = phi i64 [ 0, %family ], [ %i.split.next, %split ]
  %k = phi i64 [ %k.family, %family ], [ %k.next, %split ]
  %from = getelementptr i64, ptr %ranges, i64 %i.split
  %range.split = load i64, ptr %from, align 8
  %to = getelementptr i64, ptr %other, i64 %k
  store i64 %range.split, ptr %to, align 8
  %tag = and i64 %range.split, 255
  %is.own = icmp eq i64 %tag, %f
  %one = zext i1 %is.own to i64
  %k.next = add i64 %k, %one
  %i.split.next = add i64 %i.split, 1
  %more.split = icmp ult i64 %i.split.next, %count
  br i1 %more.split, label %split, label %family.end

family.end:
  %f.next = add i64 %f, 1
  %more.families = icmp ult i64 %f.next, %families
  br i1 %more.families, label %family, label %pass

; to = from, with each two runs merged
pass:
  %a = phi ptr [ %other, %family.end ], [ %b, %pass.end ]
  %b = phi ptr [ %ranges, %family.end ], [ %a, %pass.end ]
  br label %pair

pair:
  %left.start = phi i64 [ 0, %pass ], [ %right.end, %pair.end ]
  %runs = phi i64 [ 0, %pass ], [ %runs.next, %pair.end ]
  br label %left.run

left.run:
  %l.last = phi i64 [ %left.start, %pair ], [ %l.next, %left.more ]
  %l.next = add i64 %l.last, 1
  %l.inside = icmp ult i64 %l.next, %count
  br i1 %l.inside, label %left.more, label %merge.start

left.more:
  %l.at = getelementptr i64, ptr %a, i64 %l.last
  %l.after = getelementptr i64, ptr %a, i64 %l.next
  %l.low = load i64, ptr %l.at, align 8
  %l.high = load i64, ptr %l.after, align 8
  %l.rises = icmp ule i64 %l.low, %l.high
  br i1 %l.rises, label %left.run, label %right.run

right.run:
  %r.last = phi i64 [ %l.next, %left.more ], [ %r.next, %right.more ]
  %r.next = add i64 %r.last, 1
  %r.inside = icmp ult i64 %r.next, %count
  br i1 %r.inside, label %right.more, label %merge.start

right.more:
  %r.at = getelementptr i64, ptr %a, i64 %r.last
  %r.after = getelementptr i64, ptr %a, i64 %r.next
  %r.low = load i64, ptr %r.at, align 8
  %r.high = load i64, ptr %r.after, align 8
  %r.rises = icmp ule i64 %r.low, %r.high
  br i1 %r.rises, label %right.run, label %merge.start

merge.start:
  %right.end = phi i64 [ %l.next, %left.run ], [ %r.next, %right.run ], [ %r.next, %right.more ]
  br label %merge

; The next of the two runs that comes first; of a run that has ended nothing is read.
merge:
  %out = phi i64 [ %left.start, %merge.start ], [ %out.next, %merged ]
  %l = phi i64 [ %left.start, %merge.start ], [ %l.merged, %merged ]
  %r = phi i64 [ %l.next, %merge.start ], [ %r.merged, %merged ]
  %has.left = icmp ult i64 %l, %l.next
  %has.right = icmp ult i64 %r, %right.end
  %has.both = and i1 %has.left, %has.right
  br i1 %has.both, label %both, label %merged

both:
  %both.left.at = getelementptr i64, ptr %a, i64 %l
  %both.right.at = getelementptr i64, ptr %a, i64 %r
  %both.left = load i64, ptr %both.left.at, align 8
  %both.right = load i64, ptr %both.right.at, align 8
  %left.first = icmp ule i64 %both.left, %both.right
  br label %merged

merged:
  %takes.left = phi i1 [ %has.left, %merge ], [ %left.first, %both ]
  %taken = select i1 %takes.left, i64 %l, i64 %r
  %taken.at = getelementptr i64, ptr %a, i64 %taken
  %range.merged = load i64, ptr %taken.at, align 8
  %out.at = getelementptr i64, ptr %b, i64 %out
  store i64 %range.merged, ptr %out.at, align 8
  %step.left = zext i1 %takes.left to i64
  %step.right = sub i64 1, %step.left
  %l.merged = add i64 %l, %step.left
  %r.merged = add i64 %r, %step.right
  %out.next = add i64 %out, 1
  %more.merged = icmp ult i64 %out.next, %right.end
  br i1 %more.merged, label %merge, label %pair.end

pair.end:
  %runs.next = add i64 %runs, 1
  %more.pairs = icmp ult i64 %right.end, %count
  br i1 %more.pairs, label %pair, label %pass.end

pass.end:
  %is.sorted = icmp eq i64 %runs.next, 1
  br i1 %is.sorted, label %range, label %pass

range:
  %i = phi i64 [ 0, %pass.end ], [ %i.next, %ended ]
  %range.at = getelementptr i64, ptr %b, i64 %i
  %range.now = load i64, ptr %range.at, align 8
  %start = lshr i64 %range.now, 8
  %number = and i64 %range.now, 255
  %number.words = mul i64 %number, 3
  %length.at = getelementptr i64, ptr %first.family, i64 %number.words
  %mask.at = getelementptr i8, ptr %length.at, i64 8
  %end.at = getelementptr i8, ptr %length.at, i64 16
  %mask = load i64, ptr %mask.at, align 8
  br label %compare

compare:
  %g = phi i64 [ 0, %range ], [ %g.next, %compare ]
  %is.apart = phi i1 [ true, %range ], [ %is.apart.next, %compare ]
  %g.words = mul i64 %g, 24
  %g.end.offset = add i64 %g.words, 16
  %g.end.at = getelementptr i8, ptr %first.family, i64 %g.end.offset
  %g.end = load i64, ptr %g.end.at, align 8
  %g.mask = lshr i64 %mask, %g
  %g.may = trunc i64 %g.mask to i1
  %g.reaches = icmp ugt i64 %g.end, %start
  %overlaps = and i1 %g.may, %g.reaches
  %is.free = xor i1 %overlaps, true
  %is.apart.next = and i1 %is.apart, %is.free
  %g.next = add i64 %g, 1
  %more.compare = icmp ult i64 %g.next, %families
  br i1 %more.compare, label %compare, label %ended

ended:
  %length = load i64, ptr %length.at, align 8
  %own.end = add i64 %start, %length
  %last.end = load i64, ptr %end.at, align 8
  %is.beyond = icmp ugt i64 %own.end, %last.end
  %new.end = select i1 %is.beyond, i64 %own.end, i64 %last.end
  store i64 %new.end, ptr %end.at, align 8
  %i.next = add i64 %i, 1
  %more.ranges = icmp ult i64 %i.next, %count
  %goes.on = and i1 %more.ranges, %is.apart.next
  br i1 %goes.on, label %range, label %end

end:
  %result = phi i1 [ %is.empty, %entry ], [ %is.apart.next, %ended ]
  call void @free(ptr %other)
  ret i1 %result
}

attributes #0 = { cold noinline nounwind optsize "tessera-generated" }
