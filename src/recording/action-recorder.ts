import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { CDPSession, Page } from 'playwright'
import { locate, type ManualLoginEnd, type RecipeLocator, type UserAgent } from '../browser/index.ts'
import type { Budget } from '../http/budget.ts'
import { HttpFailure } from '../http/failures.ts'
import type { TestUser } from '../target/target.ts'
import { isPress, type RecordedAction, type TypedValue, TypedValues } from './intended-actions.ts'
import { listenerScript, type PageAction, type PageReport } from './page-listener.ts'

/** Name of the isolated world of the listener: scripts of the page can neither see the listener nor send reports. */
const worldName = 'plumbline-recording'
const reportFunction = 'plumblineReport'
const locatorsFunction = 'plumblineLocators'

/** Longest wait at the end of the recording for digests of typed values, in milliseconds. */
const lastReportsMs = 500

interface RecordOptions {
  readonly redirectUri: string
  readonly budget: Budget
  readonly user?: TestUser
  /** Acts on the page instead of a person. */
  readonly actor?: (page: Page) => void
}

/** The actions of a person in a window, and the end of the login. */
export interface RecordedActions extends Pick<ManualLoginEnd, 'end' | 'refusedHosts'> {
  readonly actions: readonly RecordedAction[]
  /** Actions that a recipe cannot contain, one sentence each. */
  readonly unsupported: readonly string[]
}

/** Sends an authorization request, and records the actions of the person on its pages. */
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

interface ListenedDocument {
  /** Id of the execution context of the listener. */
  readonly context: number
  readonly id: string
  /** Selector of the frame of the document: undefined for the main frame, null if a recipe cannot locate the frame. */
  readonly frame: Promise<string | undefined | null>
}

interface ReportedAction {
  readonly action: PageAction
  readonly document: ListenedDocument
  readonly at: Promise<readonly RecipeLocator[]>
  readonly activity: number
  /** Absent until the listener reports the digests of the typed value. `value` is undefined if the field is empty. */
  typed?: { readonly value: TypedValue | undefined }
}

/** Records what a person does on the pages of one window. */
class ActionRecorder {
  readonly #options: RecorderOptions
  readonly #documents = new Map<number, ListenedDocument>()
  readonly #reported: ReportedAction[] = []
  readonly #unsupported = new Set<string>()
  /** The field that contains a password which is not submitted yet. */
  #passwordField: string | undefined
  /** `#requests` at the first press after the password was typed. */
  #requestsAtSubmit: number | undefined
  #requests = 0
  /** Number of requests, new addresses and changes of the pages. */
  #activity = 0
  /** The last press, until the next action. `isStopped`: the browser found an invalid field, and sent nothing. */
  #press: { readonly requests: number; readonly activity: number; isStopped: boolean } | undefined

  constructor(options: RecorderOptions) {
    this.#options = options
  }

  /** Installs the listener. Call this before the page loads anything. */
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
      if (name === reportFunction && document) this.#receive(JSON.parse(payload) as PageReport, document)
    })
    session.on('Network.requestWillBeSent', () => {
      this.#requests += 1
      this.#activity += 1
    })
    session.on('Page.navigatedWithinDocument', () => {
      this.#activity += 1
    })
    const source = listenerScript({ reportFunction, locatorsFunction, salt: values.salt })
    await Promise.all([
      session.send('DOM.enable'),
      session.send('Runtime.enable'),
      session.send('Runtime.addBinding', { name: reportFunction, executionContextName: worldName }),
      session.send('Page.enable'),
      session.send('Network.enable'),
      session.send('Page.addScriptToEvaluateOnNewDocument', { source, worldName }),
    ])
  }

  /** A selector of a frame; undefined for the main frame, null for a frame that a recipe cannot locate. */
  async #frameSelector(frameId: string): Promise<string | undefined | null> {
    const { page, session } = this.#options
    try {
      const { frameTree } = await session.send('Page.getFrameTree')
      if (frameTree.frame.id === frameId) return undefined
      // A recipe cannot locate a frame inside another frame.
      if (!frameTree.childFrames?.some(({ frame }) => frame.id === frameId)) return null
      const { backendNodeId } = await session.send('DOM.getFrameOwner', { frameId })
      const { node } = await session.send('DOM.describeNode', { backendNodeId })
      for (const css of frameSelectors(node.localName, node.attributes ?? []))
        if ((await page.locator(css).count()) === 1) return css
    } catch {
      // The frame was removed meanwhile.
    }
    return null
  }

  #receive(report: PageReport, document: ListenedDocument): void {
    if ('unsupported' in report) {
      this.#unsupported.add(report.unsupported)
    } else if ('typed' in report) {
      const { typing, ...digests } = report.typed
      const typed = { value: this.#options.values.valueOf(digests) }
      const isSameInput = (each: ReportedAction) =>
        each.document === document && each.action.typing === typing
      for (const reported of this.#reported.filter(isSameInput)) reported.typed = typed
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

  /**
   * The activity before an action. If the browser stopped the last press because of an invalid field, changes since
   * then do not count: the page only shows a message.
   */
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
   * The locators of an element, first those that match exactly one element. If the action has already changed the page,
   * the counts are wrong, and the order does not change.
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
    const expression = `${locatorsFunction}(${element})`
    const current = await session
      .send('Runtime.evaluate', { expression, contextId: document.context, returnByValue: true })
      .catch(() => undefined)
    if (!isDeepStrictEqual(current?.result.value, at)) return locators
    const unique = locators.filter((_, index) => counts[index] === 1)
    return [...unique, ...locators.filter((each) => !unique.includes(each))]
  }

  /**
   * Counts a login for each typed password. Typing into the same field again counts only if a press has sent a request
   * meanwhile.
   */
  #countLogin(action: PageAction, { id }: ListenedDocument): void {
    if (isPress(action)) this.#requestsAtSubmit ??= this.#requests
    if (action.did !== 'type' || !action.hidden) return
    const isSubmitted = this.#requestsAtSubmit !== undefined && this.#requests > this.#requestsAtSubmit
    this.#requestsAtSubmit = undefined
    const field = id + action.element
    if (this.#passwordField === field && !isSubmitted) return
    this.#passwordField = field
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
