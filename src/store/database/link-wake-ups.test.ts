import { expect, test } from 'bun:test'
import { linkWakeUps, type WakeUpMessage } from './link-wake-ups.ts'
import { WakeUps } from './wake-ups.ts'

/** The main thread and the worker's, with what is on its way to either. */
function linked() {
  const [main, worker] = [new WakeUps(), new WakeUps()]
  const toMain: WakeUpMessage[] = []
  const toWorker: WakeUpMessage[] = []
  const mainEnd = linkWakeUps(main, ['site', 'account'], (message) => toWorker.push(message))
  const workerEnd = linkWakeUps(worker, ['site', 'ingested'], (message) => toMain.push(message))
  /** What other processes would be told. */
  const outgoing = new Set<string>()
  main.forward(
    ['site', 'ingested'],
    (topic) => outgoing.add(topic),
    (topic) => outgoing.delete(topic),
  )
  return {
    ...{ main, worker, mainEnd, outgoing, toWorker },
    deliverToWorker: () => toWorker.splice(0).forEach(workerEnd.receive),
    deliverToMain: () => toMain.splice(0).forEach(mainEnd.receive),
  }
}

test('a wake-up wakes the other end, with what it is about, and does not come back', () => {
  const { main, worker, deliverToMain, deliverToWorker, toWorker } = linked()
  using own = main.subscribe('ingested', 'one')
  using other = main.subscribe('ingested', 'two')
  using site = worker.subscribe('site')
  worker.notify('ingested', { about: 'one' })
  main.notify('site')
  deliverToMain()
  deliverToWorker()
  deliverToMain()
  expect([own, other, site].map(({ isWoken }) => isWoken)).toEqual([true, false, true])
  expect(toWorker).toEqual([])
})

test('what the worker settles is settled, whichever end it came from', () => {
  const { main, worker, deliverToMain, deliverToWorker, outgoing, toWorker } = linked()
  main.notify('site')
  main.notify('account')
  deliverToWorker()
  worker.notify('site')
  worker.settle('site')
  deliverToMain()
  expect([...outgoing]).toEqual([])
  // It does not come back.
  expect(toWorker.filter(({ kind }) => kind === 'settled')).toEqual([])
})

test('a wake-up that the worker has not received is not settled', () => {
  const { main, worker, deliverToMain, deliverToWorker, outgoing } = linked()
  main.notify('site')
  deliverToWorker()
  worker.settle('site')
  main.notify('site')
  deliverToMain()
  expect([...outgoing]).toEqual(['site'])
  deliverToWorker()
  worker.settle('site')
  deliverToMain()
  expect([...outgoing]).toEqual([])
})

test('nothing is sent after disposal', () => {
  const { main, mainEnd, toWorker } = linked()
  mainEnd[Symbol.dispose]()
  main.notify('site')
  expect(toWorker).toEqual([])
})
