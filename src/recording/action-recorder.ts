import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { CDPSession, Page } from 'playwright'
import { locate, type ManualLoginEnd, type RecipeLocator, type UserAgent } from '../browser/index.ts'
import type { Budget } from '../http/budget.ts'
import { HttpFailure } from '../http/failures.ts'
import type { TestUser } from '../target/target.ts'
import { isPress, type RecordedAction, type TypedValue, TypedValues } from './intended-actions.ts'
import { listenerScript, type PageAction, type PageReport } from './page-listener.ts'

/**
 * The isolated world of the listener in each document: scripts of the page can neither see it nor report in its name.
 */
const worldName = 'plumbline-recording'
const binding = 'plumblineReport'
const relocate = 'plumblineLocators'

/** Time for reports that are still in transit when the recording ends, in milliseconds. */
const lastReportsMs = 500

interface RecordOptions {
  readonly redirectUri: string
  readonly budget: Budget
  readonly user?: TestUser
  /** Acts in place of a person. */
  readonly actor?: (page: Page) => void
}

/** The actions of a person in a window, and where the login ended. */
export interface RecordedActions extends Pick<ManualLoginEnd, 'end' | 'refusedHosts'> {
  readonly actions: readonly RecordedAction[]
  /** Actions that a recipe cannot contain, one sentence each. */
  readonly unsupported: readonly string[]
}

/** Sends an authorization request, and records what the person does on its pages. */
export async function recordActions(
  agent: UserAgent,
  url: URL,
  { redirectUri, budget, user, actor }: RecordOptions,
): Promise<RecordedActions> {
  const { attached, ...ended } = await agent.manualLogin(url, redirectUri, async (page, fail) => {
    const session = await page.context().newCDPSession(page)
    const recorder = new ActionRecorder({ page, session, budget, fail, values: new TypedValues(user) })
    await recorder.listen()
    actor?.(page)
    return recorder
  })
  return { ...ended, ...(await attached.end()) }
}

interface RecorderOptions {
  readonly page: Page
  readonly session: CDPSession
  readonly budget: Budget
  readonly values: TypedValues
  /** Ends the recording when the login budget is used up. */
  readonly fail: (failure: HttpFailure) => void
}

/** A document, identified by the execution context of its listener. */
interface ListenedDocument {
  readonly context: number
  readonly id: string
  /** Selector of the frame for a recipe; undefined for the page itself, null if there is none. */
  readonly frame: Promise<string | undefined | null>
}

interface ReportedAction {
  readonly action: PageAction
  readonly document: ListenedDocument
  readonly at: Promise<readonly RecipeLocator[]>
  readonly activity: number
  /** Absent until the digests of the typed value are reported; `value` is undefined if the field is empty. */
  typed?: { readonly value: TypedValue | undefined }
}

/** Records what a person does on the pages of one window. */
class ActionRecorder {
  readonly #options: RecorderOptions
  readonly #documents = new Map<number, ListenedDocument>()
  readonly #reported: ReportedAction[] = []
  readonly #unsupported = new Set<string>()
  /** The field with a typed password that is not submitted yet. */
  #passwordIn: string | undefined
  /** Number of requests at the first press after the password was typed. */
  #submittedAt: number | undefined
  /** Requests of the pages, and all that happened on them: requests, new addresses and changes. */
  #requests = 0
  #activity = 0
  /** The last press, until the next action. */
  #press: { readonly requests: number; readonly activity: number; isStopped: boolean } | undefined

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  /** Installs the listener. Call it before the page loads anything. */
  async listen(): Promise<void> {
    const { session, values } = this.#options
    session.on('Runtime.executionContextCreated', ({ context }) => {
      if (context.name !== worldName) return
      const { frameId } = context.auxData as { readonly frameId: string }
      const frame = this.#frameSelector(frameId)
      this.#documents.set(context.id, { context: context.id, id: context.uniqueId, frame })
    })
    session.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
      const document = this.#documents.get(executionContextId)
      if (name === binding && document) this.#receive(JSON.parse(payload) as PageReport, document)
    })
    session.on('Network.requestWillBeSent', () => {
      this.#requests += 1
      this.#activity += 1
    })
    session.on('Page.navigatedWithinDocument', () => {
      this.#activity += 1
    })
    const source = listenerScript({ binding, relocate, salt: values.salt })
    await Promise.all([
      session.send('DOM.enable'),
      session.send('Runtime.enable'),
      session.send('Runtime.addBinding', { name: binding, executionContextName: worldName }),
      session.send('Page.enable'),
      session.send('Network.enable'),
      session.send('Page.addScriptToEvaluateOnNewDocument', { source, worldName }),
    ])
  }

  /** A selector of a frame. Recipes cannot locate a frame inside another frame. */
  async #frameSelector(frameId: string): Promise<string | undefined | null> {
    const { page, session } = this.#options
    try {
      const { frameTree } = await session.send('Page.getFrameTree')
      if (frameTree.frame.id === frameId) return undefined
      if (!frameTree.childFrames?.some(({ frame }) => frame.id === frameId)) return null
      const { backendNodeId } = await session.send('DOM.getFrameOwner', { frameId })
      const { node } = await session.send('DOM.describeNode', { backendNodeId })
      for (const css of frameSelectors(node.localName, node.attributes ?? []))
        if ((await page.locator(css).count()) === 1) return css
    } catch {
      // The frame is gone.
    }
    return null
  }

  #receive(report: PageReport, document: ListenedDocument): void {
    if ('unsupported' in report) {
      this.#unsupported.add(report.unsupported)
    } else if ('typed' in report) {
      const { typing, ...digests } = report.typed
      const typed = { value: this.#options.values.valueOf(digests) }
      const isTyping = (each: ReportedAction) => each.document === document && each.action.typing === typing
      for (const reported of this.#reported.filter(isTyping)) reported.typed = typed
    } else if ('happened' in report) {
      if (report.happened === 'change') this.#activity += 1
      else if (this.#press?.activity === this.#activity) this.#press.isStopped = true
    } else {
      const { action } = report
      const activity = this.#activityBefore(action, document)
      this.#reported.push({ action, document, activity, at: this.#verified(action, document) })
      this.#countLogin(action, document)
    }
  }

  /** Counts what happened before an action. A message that a page shows when the browser stops a submission does not count. */
  #activityBefore(action: PageAction, document: ListenedDocument): number {
    const previous = this.#reported.at(-1)
    if (previous?.document === document && previous.action.visible !== action.visible) this.#activity += 1
    const press = this.#press
    if (press?.isStopped && press.requests === this.#requests) this.#activity = press.activity
    const activity = this.#activity
    this.#press = isPress(action) ? { requests: this.#requests, activity, isStopped: false } : undefined
    return activity
  }

  /**
   * Locators of an element: first those with which the browser finds exactly one element. The counts are ignored if the
   * action has changed the page in the meantime.
   */
  async #verified(
    { at, element }: PageAction,
    document: ListenedDocument,
  ): Promise<readonly RecipeLocator[]> {
    const { page, session } = this.#options
    const frame = await document.frame
    const locators = at.map((each) => (typeof frame === 'string' ? { ...each, frame } : each))
    const count = (each: RecipeLocator) =>
      locate(page, each)
        .count()
        .catch(() => undefined)
    const counts = await Promise.all(locators.map(count))
    const expression = `${relocate}(${element})`
    const again = await session
      .send('Runtime.evaluate', { expression, contextId: document.context, returnByValue: true })
      .catch(() => undefined)
    if (!isDeepStrictEqual(again?.result.value, at)) return locators
    const unique = locators.filter((_, index) => counts[index] === 1)
    return [...unique, ...locators.filter((each) => !unique.includes(each))]
  }

  /**
   * Counts a login for each typed password, and another one if it is typed again after a click or the return key caused
   * a request.
   */
  #countLogin(action: PageAction, { id }: ListenedDocument): void {
    if (isPress(action)) this.#submittedAt ??= this.#requests
    if (action.did !== 'type' || !action.hidden) return
    const isSubmitted = this.#submittedAt !== undefined && this.#requests > this.#submittedAt
    this.#submittedAt = undefined
    const field = id + action.element
    if (this.#passwordIn === field && !isSubmitted) return
    this.#passwordIn = field
    try {
      this.#options.budget.countLogin()
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      this.#options.fail(error)
    }
  }

  /** Ends the recording. @returns the actions in order */
  async end(): Promise<Pick<RecordedActions, 'actions' | 'unsupported'>> {
    const deadline = Date.now() + lastReportsMs
    const isMissing = ({ action, typed }: ReportedAction) => action.did === 'type' && !typed
    while (this.#reported.some(isMissing) && Date.now() < deadline) await sleep(20)
    const actions: RecordedAction[] = []
    for (const { action, document, activity, at, typed } of this.#reported) {
      if ((await document.frame) === null) {
        this.#unsupported.add('an action was in an iframe that a recipe cannot locate')
        continue
      }
      const value = action.did === 'type' && (typed ?? { value: 'unknown' as const }).value
      const { visible: _, typing: _t, ...done } = action
      actions.push({ ...done, at: await at, document: document.id, activity, ...(value && { value }) })
    }
    return { actions, unsupported: [...this.#unsupported] }
  }
}

/** @param attributes alternating names and values, as DOM.describeNode returns them */
function frameSelectors(localName: string, attributes: readonly string[]): string[] {
  const named = ['id', 'name', 'title'].flatMap((name) => {
    const value = attributes[attributes.findIndex((each, i) => i % 2 === 0 && each === name) + 1]
    const isDurable = attributes.includes(name) && value && !/\d{3}/.test(value)
    return isDurable ? [`${localName}[${name}=${JSON.stringify(value)}]`] : []
  })
  return [...named, localName]
}
