; Differentiates formulas of + * ^ (with a constant exponent), sin, cos, exp, and simplifies them.

(define (second l) (car (cdr l)))
(define (third l) (car (cdr (cdr l))))

(define (equal? a b)
  (cond ((and (pair? a) (pair? b))
         (and (equal? (car a) (car b)) (equal? (cdr a) (cdr b))))
        ((and (number? a) (number? b)) (= a b))
        (t (eq? a b))))

(define (sum a b)
  (cond ((and (number? a) (number? b)) (+ a b))
        ((eq? a 0) b)
        ((eq? b 0) a)
        ((equal? a b) (product 2 a))
        (t (list '+ a b))))

(define (product a b)
  (cond ((and (number? a) (number? b)) (* a b))
        ((eq? a 0) 0)
        ((eq? b 0) 0)
        ((eq? a 1) b)
        ((eq? b 1) a)
        ((number? b) (product b a))
        ((and (number? a) (pair? b) (eq? (car b) '*) (number? (second b)))
         (product (* a (second b)) (third b)))
        (t (list '* a b))))

(define (power a n)
  (cond ((= n 0) 1)
        ((= n 1) a)
        (t (list '^ a n))))

(define (deriv f x)
  (cond ((number? f) 0)
        ((symbol? f) (if (eq? f x) 1 0))
        (t (let ((op (car f)) (a (second f)))
             (cond ((eq? op '+) (sum (deriv a x) (deriv (third f) x)))
                   ((eq? op '*) (sum (product (deriv a x) (third f))
                                     (product a (deriv (third f) x))))
                   ((eq? op '^) (product (product (third f) (power a (- (third f) 1)))
                                         (deriv a x)))
                   ((eq? op 'sin) (product (list 'cos a) (deriv a x)))
                   ((eq? op 'cos) (product (product -1 (list 'sin a)) (deriv a x)))
                   ((eq? op 'exp) (product f (deriv a x)))
                   (t (list 'd f x)))))))

; The n-th derivative.
(define (deriv-n f x n)
  (if (= n 0) f (deriv-n (deriv f x) x (- n 1))))

(define (size f)
  (if (pair? f) (+ 1 (size (car f)) (size (cdr f))) 0))

; The value of a polynomial at a point.
(define (raise a n) (if (= n 0) 1 (* a (raise a (- n 1)))))
(define (at f x v)
  (cond ((number? f) f)
        ((symbol? f) v)
        ((eq? (car f) '+) (+ (at (second f) x v) (at (third f) x v)))
        ((eq? (car f) '*) (* (at (second f) x v) (at (third f) x v)))
        (t (raise (at (second f) x v) (third f)))))

(print (deriv '(+ (* 3 (^ x 2)) (+ (* 5 x) 7)) 'x))
(print (deriv '(sin (^ x 2)) 'x))
(print (deriv '(* x (exp (* 2 x))) 'x))
(print (deriv-n '(sin x) 'x 4))
(print 'size (size (deriv-n '(* (sin x) (exp (* x x))) 'x 5)))
(print 'size (size (deriv-n '(^ (+ (sin x) (cos x)) 9) 'x 3)))

; (1 + x)^8 has the eighth derivative 8! = 40320 everywhere.
(define (times f n) (if (= n 1) f (product f (times f (- n 1)))))
(print (at (deriv-n '(^ (+ 1 x) 8) 'x 8) 'x 3))
(print (at (deriv-n (times '(+ 1 x) 6) 'x 3) 'x 2) '= (* 120 (raise 3 3)))
