/**
 * A WebSocket whose `message` listeners may throw: `onThrow` is told, and the next message comes. The
 * firehose library decodes frames in such a listener, where an error would end the process.
 */
export function guardedWebSocket(onThrow: (error: unknown) => void): typeof WebSocket {
  const guards = new WeakMap<object, EventListener>()

  function guard(type: string, listener: unknown): EventListener {
    if (type !== 'message' || typeof listener !== 'function') return listener as EventListener
    const known = guards.get(listener)
    if (known) return known
    const guarded: EventListener = (event) => {
      try {
        listener(event)
      } catch (error) {
        onThrow(error)
      }
    }
    guards.set(listener, guarded)
    return guarded
  }

  class GuardedWebSocket extends WebSocket {
    override addEventListener(type: string, listener: unknown): void {
      super.addEventListener(type, guard(type, listener))
    }

    override removeEventListener(type: string, listener: unknown): void {
      super.removeEventListener(type, guard(type, listener))
    }
  }
  return GuardedWebSocket
}
