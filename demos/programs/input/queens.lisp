; Counts the ways to place n queens on an n by n board so that none attacks another.
; A placement is a list of columns, the last row first.

(define (safe? column distance placed)
  (cond ((null? placed) t)
        ((= (car placed) column) nil)
        ((= (car placed) (+ column distance)) nil)
        ((= (car placed) (- column distance)) nil)
        (t (safe? column (+ distance 1) (cdr placed)))))

; Tries every column from `column` to n in the next row, and everything that may follow.
(define (place column n rows placed)
  (cond ((= rows 0) 1)
        ((< n column) 0)
        (t (+ (if (safe? column 1 placed)
                  (place 1 n (- rows 1) (cons column placed))
                  0)
              (place (+ column 1) n rows placed)))))

(define (queens n) (place 1 n n nil))

(print 'queens 6 (queens 6))
(print 'queens 7 (queens 7))
