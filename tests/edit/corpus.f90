! Arrays, strings, recursion, formatted output: what Fortran programs are made of. For corpus.sh.
program corpus
  implicit none
  real(8), allocatable :: a(:, :), b(:, :), c(:, :)
  integer :: i, j, n
  character(32) :: line
  n = 40
  allocate(a(n, n), b(n, n), c(n, n))
  do j = 1, n
    do i = 1, n
      a(i, j) = 1d0 / (i + j)
      b(i, j) = merge(1d0, 0.5d0, i == j)
    end do
  end do
  do i = 1, 5
    c = matmul(a, b)
    a = c / maxval(abs(c))
  end do
  do i = 1, 50
    write (line, '(i6, f12.5)') i, a(1 + mod(i, n), 3)
    read (line, *) j
    if (j /= i) stop 1
  end do
  print '(a, i8, es14.6)', 'sum', fib(18), sum(a)
contains
  recursive function fib(k) result(r)
    integer, intent(in) :: k
    integer :: r
    if (k < 2) then
      r = k
    else
      r = fib(k - 1) + fib(k - 2)
    end if
  end function fib
end program corpus
