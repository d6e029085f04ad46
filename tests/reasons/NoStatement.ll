; A loop that reads and computes, and nobody uses it: clang removes such loops before the plugin sees them.
define void @NoStatement(i64 %n, ptr %A) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %outer, label %done

outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.latch ]
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %place = getelementptr double, ptr %A, i64 %j
  %value = load double, ptr %place
  %j.next = add nsw i64 %j, 1
  %more = icmp slt i64 %j.next, %n
  br i1 %more, label %inner, label %outer.latch

outer.latch:
  %i.next = add nsw i64 %i, 1
  %again = icmp slt i64 %i.next, %n
  br i1 %again, label %outer, label %done

done:
  ret void
}
