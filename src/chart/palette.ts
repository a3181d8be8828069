/** Colours by purpose, for light and dark backgrounds. */
export const palette = {
  ground: ['#ffffff', '#12181f'],
  ink: ['#1f2933', '#e6ebf0'],
  quiet: ['#52606d', '#a3b1bf'],
  grid: ['#e1e5ea', '#2a3541'],
  accepted: ['#2f6fb5', '#5aa2ec'],
  throttled: ['#d1431f', '#ff7a52'],
  clientError: ['#a87400', '#d9a832'],
  serverError: ['#7b3fa0', '#c08bea'],
  unanswered: ['#46525e', '#c3ccd5'],
  wait: ['#f9ddd3', '#43261f'],
  schedule: ['#15202b', '#f5f7fa'],
  limit: ['#0b7a5c', '#3ecfa3'],
  fail: ['#b3261e', '#ff8a80'],
  inconclusive: ['#8a5a00', '#e8b24a'],
  pass: ['#1c7c43', '#5cc98a'],
  observed: ['#1f6aa8', '#6cb2f0'],
  notApplicable: ['#66727f', '#8f9dab'],
  used: ['#3b5b8c', '#86a8dd'],
} as const satisfies Readonly<Record<string, readonly [light: string, dark: string]>>

/** The colours for light backgrounds. Viewers without colour schemes show these. */
export const colour = Object.fromEntries(
  Object.entries(palette).map(([name, [light]]) => [name, light]),
) as Readonly<Record<keyof typeof palette, string>>

/** CSS that replaces the light colours with the dark ones if the reader prefers a dark scheme. */
export function schemeStyle(className: string): string {
  const rules = Object.values(palette).flatMap(([light, dark]) =>
    ['fill', 'stroke'].map((attribute) => `.${className} [${attribute}="${light}"]{${attribute}:${dark}}`),
  )
  return `@media (prefers-color-scheme:dark){${rules.join('')}}`
}
