package main

import (
	"fmt"
	"sync"
	"time"
	"runtime"
	"os"
)

func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }

func main() {
	fmt.Println("hello from go", len(os.Args))
	c := make(chan int)
	var wg sync.WaitGroup
	for i := 0; i < 10; i++ {
		wg.Add(1)
		go func(i int) { defer wg.Done(); c <- fib(i) }(i)
	}
	go func() { wg.Wait(); close(c) }()
	sum := 0
	for v := range c { sum += v }
	fmt.Println("sum", sum)
	start := time.Now()
	time.Sleep(50 * time.Millisecond)
	fmt.Println(time.Since(start) >= 50*time.Millisecond)
	var mu sync.Mutex
	n := 0
	for i := 0; i < 8; i++ {
		wg.Add(1)
		go func() { defer wg.Done(); for k := 0; k < 100; k++ { mu.Lock(); n++; mu.Unlock(); runtime.Gosched() } }()
	}
	wg.Wait()
	fmt.Println(n)
	select { case <-time.After(10 * time.Millisecond): fmt.Println("timeout"); case v := <-make(chan int): fmt.Println(v) }
	done := make(chan bool)
	go func() { x := make([][]byte, 0); for i := 0; i < 50; i++ { x = append(x, make([]byte, 100000)) }; runtime.GC(); done <- len(x) == 50 }()
	fmt.Println(<-done)
	os.Exit(3)
}
