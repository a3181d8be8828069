import { isDeepStrictEqual } from 'node:util'
import type { CDPSession, Page } from 'playwright'
import type { Budget } from '../../http/budget.ts'
import { HttpFailure } from '../../http/failures.ts'
import type { TestUser } from '../../target/target.ts'
import type { RecipeLocator } from '../recipe.ts'
import { locate } from '../recipe-steps.ts'
import type { Act } from './acts.ts'
import { locatorsOf } from './element-locators.ts'
import { listen } from './listener.ts'
import type { Deed, Digests, Report } from './report.ts'
import { type TypedValue, TypedValues } from './typed-values.ts'

/** A world of its own in each document: scripts of the page neither see it nor can report in its name. */
const run = 'plumbline-recording'
const binding = 'plumblineReport'
const anew = 'plumblineLocators'

/** What comes after the end was on its way before, for at most so long, in milliseconds. */
const lastWordsMs = 500

export interface RecordingOptions {
  readonly page: Page
  readonly budget: Budget
  readonly user?: TestUser
  /** Ends the recording where nothing more may be typed. */
  readonly onFailure: (failure: HttpFailure) => void
}

/** A document, by the execution context of the listener in it. */
interface Place {
  readonly context: number
  readonly document: string
  /** How a recipe points to the frame; undefined in the page itself, null where it cannot. */
  readonly frame: Promise<string | undefined | null>
}

interface Heard {
  readonly deed: Deed
  readonly place: Place
  readonly at: Promise<readonly RecipeLocator[]>
}

/** Hears what somebody does on the pages of one window. */
export class Recording {
  readonly #options: RecordingOptions
  readonly #session: CDPSession
  readonly #values: TypedValues
  readonly #places = new Map<number, Place>()
  readonly #heard: Heard[] = []
  /** What was typed, by document and number of the typing; undefined for nothing. */
  readonly #typed = new Map<string, TypedValue | undefined>()
  readonly #beyond = new Set<string>()
  /** Where a password is being typed that was not sent yet. */
  #passwordIn: string | undefined

  private constructor(options: RecordingOptions, session: CDPSession) {
    this.#options = options
    this.#session = session
    this.#values = new TypedValues(options.user)
  }

  /** Listens in a page that has loaded nothing yet. */
  static async start(options: RecordingOptions): Promise<Recording> {
    const session = await options.page.context().newCDPSession(options.page)
    const recording = new Recording(options, session)
    await recording.#listen()
    return recording
  }

  async #listen(): Promise<void> {
    const session = this.#session
    session.on('Runtime.executionContextCreated', ({ context }) => {
      if (context.name !== run) return
      const { frameId } = context.auxData as { readonly frameId: string }
      this.#places.set(context.id, {
        context: context.id,
        document: context.uniqueId,
        frame: this.#frame(frameId),
      })
    })
    session.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
      const place = this.#places.get(executionContextId)
      if (name === binding && place) this.#hear(JSON.parse(payload) as Report, place)
    })
    const options = { binding, anew, salt: this.#values.salt }
    await Promise.all([
      session.send('DOM.enable'),
      session.send('Runtime.enable'),
      session.send('Runtime.addBinding', { name: binding, executionContextName: run }),
      session.send('Page.enable'),
      session.send('Page.addScriptToEvaluateOnNewDocument', {
        source: `(${listen})(${locatorsOf}, ${JSON.stringify(options)})`,
        worldName: run,
      }),
    ])
  }

  /** How a recipe points to a frame: a frame in a frame is out of its reach. */
  async #frame(frameId: string): Promise<string | undefined | null> {
    const { page } = this.#options
    try {
      const { frameTree } = await this.#session.send('Page.getFrameTree')
      if (frameTree.frame.id === frameId) return undefined
      if (!frameTree.childFrames?.some(({ frame }) => frame.id === frameId)) return null
      const { backendNodeId } = await this.#session.send('DOM.getFrameOwner', { frameId })
      const { node } = await this.#session.send('DOM.describeNode', { backendNodeId })
      for (const css of frameSelectors(node.localName, node.attributes ?? []))
        if ((await page.locator(css).count()) === 1) return css
    } catch {
      // The frame is gone.
    }
    return null
  }

  #hear(report: Report, place: Place): void {
    if ('beyond' in report) this.#beyond.add(report.beyond)
    else if ('typed' in report) this.#tell(report.typed, place)
    else {
      this.#heard.push({ deed: report.deed, place, at: this.#sure(report.deed, place) })
      this.#countLogin(report.deed, place)
    }
  }

  #tell({ typing, ...digests }: Digests, { document }: Place): void {
    this.#typed.set(`${document} ${typing}`, this.#values.valueOf(digests))
  }

  /**
   * Ways to point to an element, the page's first one ahead unless the browser finds less or more than one there. What
   * the browser finds counts only while the page is as it was: what was pressed may have changed it by then.
   */
  async #sure({ at, element }: Deed, place: Place): Promise<readonly RecipeLocator[]> {
    const frame = await place.frame
    const ways = at.map((way) => (typeof frame === 'string' ? { ...way, frame } : way))
    const count = (way: RecipeLocator) =>
      locate(this.#options.page, way)
        .count()
        .catch(() => undefined)
    const counts = await Promise.all(ways.map(count))
    if (!isDeepStrictEqual(await this.#anew(element, place), at)) return ways
    const sure = ways.filter((_, index) => counts[index] === 1)
    return [...sure, ...ways.filter((way) => !sure.includes(way))]
  }

  /** How the page points to an element now; undefined where the document is gone. */
  async #anew(element: number, { context }: Place): Promise<unknown> {
    try {
      const { result } = await this.#session.send('Runtime.evaluate', {
        expression: `${anew}(${element})`,
        contextId: context,
        returnByValue: true,
      })
      return result.value
    } catch {
      return undefined
    }
  }

  /** Each password that is typed anew after something was pressed is a login. */
  #countLogin({ did, hidden, element }: Deed, { document }: Place): void {
    if (did === 'enter' || did === 'click') this.#passwordIn = undefined
    if (did !== 'type' || !hidden || this.#passwordIn === document + element) return
    this.#passwordIn = document + element
    try {
      this.#options.budget.login()
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw error
      this.#options.onFailure(error)
    }
  }

  /** What was done, in order, and what of it no recipe can hold. */
  async end(): Promise<{ readonly acts: readonly Act[]; readonly beyond: readonly string[] }> {
    const deadline = Date.now() + lastWordsMs
    const isMissing = ({ deed, place }: Heard) =>
      deed.did === 'type' && !this.#typed.has(typingOf({ deed, place }))
    while (this.#heard.some(isMissing) && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 20))
    const acts: Act[] = []
    for (const heard of this.#heard) {
      const { deed, place } = heard
      if ((await place.frame) === null) {
        this.#beyond.add('something was done in an iframe that no recipe can point to')
        continue
      }
      const typing = typingOf(heard)
      const value = this.#typed.has(typing) ? this.#typed.get(typing) : 'unknown'
      acts.push({
        ...deed,
        at: await heard.at,
        document: place.document,
        ...(deed.did === 'type' && value && { value }),
      })
    }
    return { acts, beyond: [...this.#beyond] }
  }
}

function typingOf({ deed, place }: Pick<Heard, 'deed' | 'place'>): string {
  return `${place.document} ${deed.typing}`
}

/** @param attributes names and values in turn, as DOM.describeNode gives them */
function frameSelectors(localName: string, attributes: readonly string[]): string[] {
  const value = (name: string) =>
    attributes[attributes.findIndex((each, i) => i % 2 === 0 && each === name) + 1]
  const named = ['id', 'name', 'title'].flatMap((name) => {
    const given = attributes.includes(name) ? value(name) : undefined
    return given === undefined || given === '' || /\d{3}/.test(given)
      ? []
      : [`${localName}[${name}=${JSON.stringify(given)}]`]
  })
  return [...named, localName]
}
