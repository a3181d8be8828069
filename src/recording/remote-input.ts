import type { Page } from 'playwright'
import { z } from 'zod'

const point = { x: z.number(), y: z.number() }

/** What the engineer does in the page that is shown elsewhere. */
const inputs = z
  .array(
    z.discriminatedUnion('did', [
      z.object({ did: z.enum(['down', 'up', 'wheel']), ...point }),
      z.object({ did: z.literal('text'), text: z.string().max(1000) }),
      z.object({
        did: z.literal('key'),
        key: z.string().max(20),
        control: z.boolean(),
        shift: z.boolean(),
        alt: z.boolean(),
      }),
      z.object({ did: z.literal('stop') }),
    ]),
  )
  .max(1000)

type Input = z.infer<typeof inputs>[number]

/** Keys without a character that a page can use. */
const namedKeys: ReadonlySet<string> = new Set([
  ...['Enter', 'Tab', 'Backspace', 'Delete', 'Escape', 'Home', 'End', 'PageUp', 'PageDown', 'Insert'],
  ...['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'],
])
/** Characters that a page or its fields use with the control key. */
const commands = /^[acxyz]$/i

/** @throws {Error} for text that is not a list of inputs; its message contains no part of the text */
export function inputsFrom(text: string): readonly Input[] {
  try {
    return inputs.parse(JSON.parse(text))
  } catch {
    throw new Error('not a list of inputs')
  }
}

/** Repeats an input on the page. */
export async function repeatInput(page: Page, input: Input): Promise<void> {
  switch (input.did) {
    case 'down':
      await page.mouse.move(input.x, input.y)
      return page.mouse.down()
    case 'up':
      await page.mouse.move(input.x, input.y)
      return page.mouse.up()
    case 'wheel':
      return page.mouse.wheel(input.x, input.y)
    case 'text':
      return page.keyboard.type(input.text)
    case 'key': {
      const { key, control, shift, alt } = input
      if (!namedKeys.has(key) && !(control && commands.test(key))) return
      const modifiers = [
        ...(control ? ['Control'] : []),
        ...(shift ? ['Shift'] : []),
        ...(alt ? ['Alt'] : []),
      ]
      return page.keyboard.press([...modifiers, key].join('+'))
    }
    case 'stop':
      return page.close()
  }
}
