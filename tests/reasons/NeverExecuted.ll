; Two conditions that contradict each other: clang sees that before the plugin does.
define void @NeverExecuted(i64 %n, ptr %A) {
entry:
  %large = icmp sgt i64 %n, 10
  br i1 %large, label %checked, label %done

checked:
  %small = icmp slt i64 %n, 5
  br i1 %small, label %outer, label %done

outer:
  %i = phi i64 [ 0, %checked ], [ %i.next, %outer.latch ]
  br label %inner

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %row = mul nsw i64 %j, %n
  %at = add nsw i64 %row, %i
  %place = getelementptr double, ptr %A, i64 %at
  store double 5.000000e-01, ptr %place
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
