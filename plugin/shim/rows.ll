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

; Whether a range of a family is in a list: looks at those that came last first.
define internal i1 @tessera.rows.holds(ptr %list, i64 %start, i64 %family) #0 {
entry:
  %count = load i64, ptr %list, align 8
  %families.at = getelementptr i8, ptr %list, i64 24
  %families = load i64, ptr %families.at, align 8
  %triples = mul i64 %families, 3
  %header = add i64 %triples, 4
  %ranges = getelementptr i64, ptr %list, i64 %header
  %shifted = shl i64 %start, 8
  %range = or i64 %shifted, %family
  br label %look

look:
  %left = phi i64 [ %count, %entry ], [ %before, %compare ]
  %is.none = icmp eq i64 %left, 0
  br i1 %is.none, label %end, label %compare

compare:
  %before = add i64 %left, -1
  %slot = getelementptr i64, ptr %ranges, i64 %before
  %other = load i64, ptr %slot, align 8
  %is.it = icmp eq i64 %other, %range
  br i1 %is.it, label %end, label %look

end:
  %result = phi i1 [ false, %look ], [ true, %compare ]
  ret i1 %result
}

; Whether a range of a family overlaps one of a list that it must not.
define internal i1 @tessera.rows.meets(ptr %list, i64 %start, i64 %family) #0 {
entry:
  %count = load i64, ptr %list, align 8
  %families.at = getelementptr i8, ptr %list, i64 24
  %families = load i64, ptr %families.at, align 8
  %offset = mul i64 %family, 24
  %own.words = getelementptr i8, ptr %list, i64 %offset
  %length.at = getelementptr i8, ptr %own.words, i64 32
  %mask.at = getelementptr i8, ptr %own.words, i64 40
  %length = load i64, ptr %length.at, align 8
  %mask = load i64, ptr %mask.at, align 8
  %is.empty = icmp eq i64 %count, 0
  %triples = mul i64 %families, 3
  %header = add i64 %triples, 4
  %ranges = getelementptr i64, ptr %list, i64 %header
  %end.own = add i64 %start, %length
  br i1 %is.empty, label %end, label %compare

compare:
  %at = phi i64 [ 0, %entry ], [ %next, %further ]
  %slot = getelementptr i64, ptr %ranges, i64 %at
  %range = load i64, ptr %slot, align 8
  %other = and i64 %range, 255
  %other.start = lshr i64 %range, 8
  %other.offset = mul i64 %other, 24
  %other.words = getelementptr i8, ptr %list, i64 %other.offset
  %other.length.at = getelementptr i8, ptr %other.words, i64 32
  %other.length = load i64, ptr %other.length.at, align 8
  %other.end = add i64 %other.start, %other.length
  %bits = lshr i64 %mask, %other
  %must.not = trunc i64 %bits to i1
  %is.below = icmp ult i64 %start, %other.end
  %is.above = icmp ult i64 %other.start, %end.own
  %overlap = and i1 %is.below, %is.above
  %is.wrong = and i1 %overlap, %must.not
  br i1 %is.wrong, label %end, label %further

further:
  %next = add i64 %at, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %compare, label %end

end:
  %result = phi i1 [ false, %entry ], [ true, %compare ], [ false, %further ]
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
