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
  slidingCounter(false),
  slidingCounter(true),
  slidingLog(true),
]
