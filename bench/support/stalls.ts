/** Time and processor time from now on. */
export function stopwatch() {
  const began = performance.now()
  const cpu = process.cpuUsage()
  return {
    seconds: () => (performance.now() - began) / 1000,
    cpu: () => {
      const { user, system } = process.cpuUsage(cpu)
      return ((user + system) / 1e6).toFixed(1)
    },
  }
}

/** The longest time for which nothing else could run, by a clock in milliseconds. */
export function watchStalls(clock = () => performance.now()) {
  let last = clock()
  let longest = 0
  const watch = setInterval(() => {
    const now = clock()
    longest = Math.max(longest, now - last - 1)
    last = now
  }, 1)
  return {
    stop() {
      clearInterval(watch)
      return Math.max(longest, clock() - last - 1)
    },
  }
}
