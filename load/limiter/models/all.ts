import { fixedWindow } from './fixed-window.ts'
import { gridWindow } from './grid-window.ts'
import type { Model } from './model.ts'
import { slidingCounter } from './sliding-counter.ts'
import { slidingLog } from './sliding-log.ts'
import { tokenBucket } from './token-bucket.ts'

/** What a limiter is taken to be one of. */
export const MODELS: readonly Model[] = [
  fixedWindow,
  gridWindow,
  slidingLog(false),
  tokenBucket,
  slidingCounter({ wholeRequest: false, countsRejected: false }),
  slidingCounter({ wholeRequest: true, countsRejected: false }),
  slidingLog(true),
  slidingCounter({ wholeRequest: false, countsRejected: true }),
  slidingCounter({ wholeRequest: true, countsRejected: true }),
]
