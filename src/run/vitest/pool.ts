import { EventEmitter } from 'node:events'
import type { PoolRunnerInitializer, PoolWorker } from 'vitest/node'
import { init, runBaseTests, setupEnvironment } from 'vitest/worker'

/**
 * Executes the suites in this process instead of a worker. They share the browser, budget and modules of the command,
 * and the first check does not wait for a worker to start.
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
    // After a run, Vitest still reports each module that this process imports. Without this error, the next run would
    // wait for responses to these reports.
    if (this.#hasEnded) throw new Error('the run has ended')
    deliver(this.#toPool, message)
  }
}

/** Delivers a copy, as between threads, because receivers change their messages. */
function deliver(receiver: EventEmitter, message: unknown): void {
  const copy = structuredClone(message)
  queueMicrotask(() => receiver.emit('message', copy))
}

const errorEvents = ['uncaughtException', 'unhandledRejection'] as const

/**
 * Adapts this process to Vitest, which treats it like a worker:
 * - `process.exit` stays as it is, because a signal ends the command with it.
 * - Vitest alone handles uncaught errors, and reports them.
 * - Vitest does not map stack traces to sources: Node runs the sources, and Playwright reads a stack trace at every
 *   call.
 * @returns a function that restores the process
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
