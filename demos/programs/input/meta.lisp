; A Lisp evaluator in Lisp: numbers, variables, quote, if, lambda, and calls. Functions are values, so a
; program names a recursive one through a cell in the environment that is filled in later.

(define (second l) (car (cdr l)))
(define (third l) (car (cdr (cdr l))))
(define (fourth l) (car (cdr (cdr (cdr l)))))

(define (look-up name env)
  (cond ((null? env) (print 'unbound name))
        ((eq? (car (car env)) name) (cdr (car env)))
        (t (look-up name (cdr env)))))

(define (m-eval x env)
  (cond ((number? x) x)
        ((symbol? x) (look-up x env))
        ((eq? (car x) 'quote) (second x))
        ((eq? (car x) 'if)
         (if (m-eval (second x) env) (m-eval (third x) env) (m-eval (fourth x) env)))
        ((eq? (car x) 'lambda) (list 'closure (second x) (third x) env))
        (t (m-apply (m-eval (car x) env) (m-eval-all (cdr x) env)))))

(define (m-eval-all xs env)
  (if (null? xs) nil (cons (m-eval (car xs) env) (m-eval-all (cdr xs) env))))

(define (m-apply f args)
  (if (and (pair? f) (eq? (car f) 'closure))
      (m-eval (third f) (m-bind (second f) args (fourth f)))
      (if (null? (cdr args)) (f (car args)) (f (car args) (second args)))))

(define (m-bind names args env)
  (if (null? names)
      env
      (cons (cons (car names) (car args)) (m-bind (cdr names) (cdr args) env))))

(define globals
  (list (cons '+ +) (cons '- -) (cons '* *) (cons '< <) (cons '= =)
        (cons 'cons cons) (cons 'car car) (cons 'cdr cdr) (cons 'null? null?)))

; No assignment: a function gets itself as its first argument.
(define factorial
  '((lambda (f n) (f f n))
    (lambda (self n) (if (< n 2) 1 (* n (self self (- n 1)))))
    10))
(define fibonacci
  '((lambda (f n) (f f n))
    (lambda (self n) (if (< n 2) n (+ (self self (- n 1)) (self self (- n 2)))))
    9))
(define map-square
  '((lambda (map l) (map map (lambda (x) (* x x)) l))
    (lambda (self f l) (if (null? l) l (cons (f (car l)) (self self f (cdr l)))))
    (quote (1 2 3 4 5 6 7 8))))

(print 'factorial (m-eval factorial globals))
(print 'fibonacci (m-eval fibonacci globals))
(print 'squares (m-eval map-square globals))
