; The inner loop has no iterations, and nothing is known of the arrays: the program prints and ends.
@text = private constant [5 x i8] c"fine\00"

declare i32 @puts(ptr)

define void @k(i64 %n, i64 %m, ptr %A, ptr %B) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %outer, label %done

outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.latch ]
  %enter = icmp sgt i64 %m, 0
  br i1 %enter, label %inner, label %outer.latch

inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %row = mul i64 %j, 1000
  %element = add i64 %row, %i
  %from = getelementptr i32, ptr %B, i64 %element
  %value = load i32, ptr %from
  %to = getelementptr i32, ptr %A, i64 %element
  store i32 %value, ptr %to
  %j.next = add nsw i64 %j, 1
  %more = icmp slt i64 %j.next, %m
  br i1 %more, label %inner, label %outer.latch

outer.latch:
  %i.next = add nsw i64 %i, 1
  %again = icmp slt i64 %i.next, %n
  br i1 %again, label %outer, label %done

done:
  ret void
}

define i32 @main(i32 %count, ptr %arguments) {
  %one = sext i32 %count to i64
  %m = sub i64 1, %one
  call void @k(i64 1000, i64 %m, ptr poison, ptr poison)
  %printed = call i32 @puts(ptr @text)
  ret i32 0
}
