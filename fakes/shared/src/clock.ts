type Task = { readonly at: number; readonly run: () => void };

/** Node limits timers to 2^31 - 1 ms. A longer wait is split into several timers. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * The clock of the fake: the system time plus an offset that only grows. A scheduled task runs when this clock reaches
 * its time, whether time passes or the clock is advanced.
 */
export class Clock {
  #offsetMs = 0;
  /** A binary heap with the earliest task first. */
  readonly #tasks: Task[] = [];
  #timer: NodeJS.Timeout | null = null;
  #timerAt = Number.POSITIVE_INFINITY;
  #closed = false;

  nowMs(): number {
    return Date.now() + this.#offsetMs;
  }

  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Sets the offset from the journal, before tasks are scheduled. */
  restore(offsetMs: number): void {
    this.#offsetMs = offsetMs;
  }

  advance(ms: number): void {
    this.#offsetMs += ms;
    this.#runDue();
  }

  schedule(at: number, run: () => void): void {
    const tasks = this.#tasks;
    let index = tasks.push({ at, run }) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if ((tasks[parent] as Task).at <= at) break;
      this.#swap(index, parent);
      index = parent;
    }
    this.#setTimer();
  }

  close(): void {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
  }

  #runDue(): void {
    for (let next = this.#tasks[0]; next && next.at <= this.nowMs(); next = this.#tasks[0]) {
      this.#removeFirst();
      next.run();
    }
    this.#setTimer();
  }

  #setTimer(): void {
    const first = this.#tasks[0];
    if (this.#closed || !first || this.#timerAt <= first.at - this.#offsetMs) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timerAt = first.at - this.#offsetMs;
    const wait = Math.min(Math.max(first.at - this.nowMs(), 0), maxTimerMs);
    this.#timer = setTimeout(() => {
      this.#timerAt = Number.POSITIVE_INFINITY;
      this.#runDue();
    }, wait);
    this.#timer.unref();
  }

  #removeFirst(): void {
    const tasks = this.#tasks;
    const last = tasks.pop() as Task;
    if (tasks.length === 0) return;
    tasks[0] = last;
    for (let index = 0; ; ) {
      const left = 2 * index + 1;
      if (left >= tasks.length) return;
      const right = left + 1;
      const least =
        right < tasks.length && (tasks[right] as Task).at < (tasks[left] as Task).at ? right : left;
      if ((tasks[index] as Task).at <= (tasks[least] as Task).at) return;
      this.#swap(index, least);
      index = least;
    }
  }

  #swap(a: number, b: number): void {
    const tasks = this.#tasks;
    const first = tasks[a] as Task;
    tasks[a] = tasks[b] as Task;
    tasks[b] = first;
  }
}
