import { parse, View } from 'vega'
import { compile, type TopLevelSpec } from 'vega-lite'
import { escapeMarkup } from '../text/markup.ts'
import { colour, schemeStyle } from './palette.ts'

interface Drawing {
  /** Class of the drawing and prefix of its ids. Must be unique on the page. */
  readonly className: string
  /** Pixels. */
  readonly width: number
  readonly title: string
  /** The chart in words, for screen readers. */
  readonly description: string
}

/** The look of every chart. */
export const chartConfig = {
  aria: false,
  background: colour.ground,
  font: 'system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif',
  view: { stroke: null },
  axis: {
    labelColor: colour.quiet,
    titleColor: colour.quiet,
    titleFontWeight: 'normal',
    labelFontSize: 12,
    titleFontSize: 12,
    domainColor: colour.quiet,
    tickColor: colour.quiet,
    gridColor: colour.grid,
  },
  legend: {
    orient: 'top',
    title: null,
    direction: 'horizontal',
    offset: 6,
    labelColor: colour.ink,
    labelFontSize: 12,
    symbolSize: 90,
    symbolStrokeWidth: 2,
  },
} as const satisfies TopLevelSpec['config']

/** A chart as an SVG for light and dark schemes, with a title and a description, without external references. */
export async function drawSvg(spec: TopLevelSpec, drawing: Drawing): Promise<string> {
  const { className, width, title, description } = drawing
  const view = new View(parse(compile(spec).spec), { renderer: 'none' })
  try {
    // The title and description describe the whole picture, so its parts need no roles.
    const svg = (await view.toSVG()).replace(/ (?:role|aria-\w+)="[^"]*"/g, '')
    // Vega overestimates the width of letters, and would leave too much space.
    return svg.replace(
      /^<svg([^>]*?) class="[^"]*" width="\d+" height="(\d+)" viewBox="[^"]*"><rect width="\d+"/,
      `<svg$1 class="${className}" role="img" aria-labelledby="${className}-title ${className}-desc" width="${width}" height="$2" viewBox="0 0 ${width} $2">` +
        `<title id="${className}-title">${escapeMarkup(title)}</title>` +
        `<desc id="${className}-desc">${escapeMarkup(description)}</desc>` +
        `<style>.${className}{max-width:100%;height:auto}${schemeStyle(className)}</style><rect width="${width}"`,
    )
  } finally {
    view.finalize()
  }
}
