; A product on a machine with addresses of 16 bits, where every multiplication is a call.
target datalayout = "e-m:e-p:16:16-i32:16-i64:16-f32:16-f64:16-a:8-n8:16-S16"
target triple = "msp430"

define void @Target(i16 %n, ptr %A, ptr %B) {
entry:
  %some = icmp sgt i16 %n, 0
  br i1 %some, label %outer, label %done

outer:
  %i = phi i16 [ 0, %entry ], [ %i.next, %outer.latch ]
  br label %inner

inner:
  %j = phi i16 [ 0, %outer ], [ %j.next, %inner ]
  %row = mul i16 %j, %n
  %element = add i16 %row, %i
  %from = getelementptr i32, ptr %B, i16 %element
  %value = load i32, ptr %from
  %to = getelementptr i32, ptr %A, i16 %element
  store i32 %value, ptr %to
  %j.next = add nsw i16 %j, 1
  %more = icmp slt i16 %j.next, %n
  br i1 %more, label %inner, label %outer.latch

outer.latch:
  %i.next = add nsw i16 %i, 1
  %again = icmp slt i16 %i.next, %n
  br i1 %again, label %outer, label %done

done:
  ret void
}
