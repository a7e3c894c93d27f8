// Preloaded into a service: counts its requests for about half of the time, in windows in random order, and writes what each
// half has cost to the file COUNTING_COSTS when it gets SIGUSR2, as `CountingCosts`. A request of the counted half is counted
// COUNTING_TIMES times, each with both readings of the clock, so that the cost stands out from the noise of the windows.
import { plugin } from 'bun'

/** CPU and number of the requests that were counted, and of those that were not. */
export interface CountingCosts {
  readonly counted: Cost
  readonly plain: Cost
}

interface Cost {
  readonly cpuMicros: number
  readonly requests: number
}

plugin({
  name: 'counting-switch',
  setup(build) {
    build.onLoad({ filter: /\/src\/edge\/time-answers\.ts$/ }, async ({ path }) => {
      const source = (await Bun.file(path).text()).replaceAll('export ', '')
      return { loader: 'ts', contents: source + switchSource }
    })
  },
})

const switchSource = `
  const windowMs = 50
  const costs = {
    counted: { cpuMicros: 0, requests: 0 },
    plain: { cpuMicros: 0, requests: 0 },
  }
  let isCounting = true
  let requests = 0
  let before = process.cpuUsage()
  setInterval(() => {
    const now = process.cpuUsage()
    const cost = isCounting ? costs.counted : costs.plain
    cost.cpuMicros += now.user + now.system - before.user - before.system
    cost.requests += requests
    requests = 0
    before = now
    isCounting = Math.random() < 0.5
  }, windowMs)
  process.on('SIGUSR2', () => void Bun.write(process.env.COUNTING_COSTS, JSON.stringify(costs)))
  const times = Number(process.env.COUNTING_TIMES)
  const timeOrNot = (metrics) => {
    const timed = timeAnswers(metrics)
    return (answer, role) => {
      requests++
      if (isCounting) for (let time = 0; time < times; time++) timed(answer, role, startTimer())
      return answer
    }
  }
  const noStart = () => 0
  export { noStart as startTimer, timeOrNot as timeAnswers }
`
