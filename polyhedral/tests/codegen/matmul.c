for (int c0 = 0; c0 <= n - 4; c0 += 4) {
  for (int c1 = 0; c1 <= m - 4; c1 += 4)
    for (int c2 = 0; c2 <= p - 1; c2 += 1) {
      S(c0, c1, c2);
      S(c0, c1 + 1, c2);
      S(c0, c1 + 2, c2);
      S(c0, c1 + 3, c2);
      S(c0 + 1, c1, c2);
      S(c0 + 1, c1 + 1, c2);
      S(c0 + 1, c1 + 2, c2);
      S(c0 + 1, c1 + 3, c2);
      S(c0 + 2, c1, c2);
      S(c0 + 2, c1 + 1, c2);
      S(c0 + 2, c1 + 2, c2);
      S(c0 + 2, c1 + 3, c2);
      S(c0 + 3, c1, c2);
      S(c0 + 3, c1 + 1, c2);
      S(c0 + 3, c1 + 2, c2);
      S(c0 + 3, c1 + 3, c2);
    }
  if (m % 4 >= 1)
    for (int c1 = 0; c1 <= p - 1; c1 += 1)
      for (int c2 = c0; c2 <= c0 + 3; c2 += 1)
        for (int c3 = m - m % 4; c3 <= m - 1; c3 += 1)
          S(c2, c3, c1);
}
if (n % 4 >= 1)
  for (int c0 = 0; c0 <= m - 1; c0 += 4)
    for (int c1 = 0; c1 <= p - 1; c1 += 1)
      for (int c2 = n - n % 4; c2 <= n - 1; c2 += 1)
        for (int c3 = c0; c3 <= min(m - 1, c0 + 3); c3 += 1)
          S(c2, c3, c1);
