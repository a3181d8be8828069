import { isMainThread } from 'node:worker_threads'

// Loaded into Plumbline before its own code: a defect whose message holds the secrets of the environment.
const { SIEGE_CRASH_IN, SIEGE_CRASH_AFTER_MS, CLIENT_SECRET, TEST_PASSWORD } = process.env

if (SIEGE_CRASH_IN === (isMainThread ? 'main' : 'worker'))
  setTimeout(() => {
    throw new Error(`cannot go on with ${CLIENT_SECRET} and ${TEST_PASSWORD}`)
  }, Number(SIEGE_CRASH_AFTER_MS)).unref()
