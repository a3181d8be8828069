import { EventEmitter } from 'node:events'
import type { PoolRunnerInitializer, PoolWorker } from 'vitest/node'
import { init, runBaseTests, setupEnvironment } from 'vitest/worker'

/**
 * Executes the suites in this process instead of a worker: they share the browser, the budget and the modules of the
 * command, and no start of a worker delays the first check.
 */
export const inProcess: PoolRunnerInitializer = {
  name: 'in-process',
  createPoolWorker: () => new InProcessWorker(),
}

class InProcessWorker implements PoolWorker {
  readonly name = 'in-process'
  readonly #toPool = new EventEmitter()
  readonly #toTests = new EventEmitter()
  #restore = () => {}
  #hasEnded = false

  on(event: string, listener: (...values: unknown[]) => void): void {
    this.#toPool.on(event, listener)
  }

  off(event: string, listener: (...values: unknown[]) => void): void {
    this.#toPool.off(event, listener)
  }

  send(message: unknown): void {
    deliver(this.#toTests, message)
  }

  deserialize(message: unknown): unknown {
    return message
  }

  async start(): Promise<void> {
    this.#restore = protectProcess()
    init({
      on: (listener) => this.#toTests.on('message', listener),
      off: (listener) => this.#toTests.off('message', listener),
      post: (message) => this.#post(message),
      setup: setupEnvironment,
      runTests: (state, traces) => runBaseTests('run', state, traces),
      collectTests: (state, traces) => runBaseTests('collect', state, traces),
    })
  }

  async stop(): Promise<void> {
    this.#hasEnded = true
    this.#restore()
  }

  #post(message: unknown): void {
    // After a run, Vitest still reports modules that this process imports; the next run would wait for the responses.
    if (this.#hasEnded) throw new Error('the run has ended')
    deliver(this.#toPool, message)
  }
}

/** Tests and pool each change what they receive, so each gets a copy, as from a thread. */
function deliver(receiver: EventEmitter, message: unknown): void {
  const copy = structuredClone(message)
  queueMicrotask(() => receiver.emit('message', copy))
}

const errorEvents = ['uncaughtException', 'unhandledRejection'] as const

/**
 * Vitest replaces `process.exit` and listens for errors that nothing catches, as in a worker. This keeps `process.exit`,
 * which ends the command on a signal, and leaves the errors to Vitest alone, which reports them. It also stops Vitest from
 * mapping each stack trace that is read to its sources: Node runs the sources, and Playwright reads one at every call.
 * @returns restores the listeners of the command
 */
function protectProcess(): () => void {
  const { exit } = process
  const { prepareStackTrace } = Error
  Reflect.deleteProperty(Error, 'prepareStackTrace')
  Object.defineProperty(process, 'exit', { get: () => exit, set: () => {}, configurable: true })
  const listeners = errorEvents.map((event) => ({
    event,
    own: process.listeners(event as 'uncaughtException'),
  }))
  for (const { event } of listeners) process.removeAllListeners(event)
  return () => {
    Error.prepareStackTrace = prepareStackTrace
    Object.defineProperty(process, 'exit', { value: exit, writable: true, configurable: true })
    for (const { event, own } of listeners) {
      process.removeAllListeners(event)
      for (const listener of own) process.on(event, listener)
    }
  }
}
