import { fixedWindow, gridWindow } from './fixed-window.ts'
import type { Model } from './model.ts'
import { slidingCounter } from './sliding-counter.ts'
import { slidingLog } from './sliding-log.ts'
import { tokenBucket } from './token-bucket.ts'

/** The models of limiters that refuse requests. */
export const limiterModels: readonly Model[] = [
  fixedWindow,
  gridWindow,
  slidingLog(false),
  tokenBucket,
  slidingCounter(false),
  // The count includes the new request.
  slidingCounter(true),
  // Refused requests count, too.
  slidingLog(true),
]
