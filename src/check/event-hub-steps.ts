import type { CheckContext } from './context.ts'
import type { World } from './world.ts'

/** Steps with the Event Hub. */
export class EventHubSteps {
  readonly world: World
  readonly context: CheckContext

  constructor(world: World, context: CheckContext) {
    this.world = world
    this.context = context
  }
}
