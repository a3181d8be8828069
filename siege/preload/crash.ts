import { isMainThread } from 'node:worker_threads'

// Preloaded into Plumbline: throws an error whose message contains secrets of the environment.
const { SIEGE_CRASH_AFTER_MS, CLIENT_SECRET, TEST_PASSWORD } = process.env

if (isMainThread && SIEGE_CRASH_AFTER_MS !== undefined)
  setTimeout(() => {
    throw new Error(`cannot go on with ${CLIENT_SECRET} and ${TEST_PASSWORD}`)
  }, Number(SIEGE_CRASH_AFTER_MS)).unref()
