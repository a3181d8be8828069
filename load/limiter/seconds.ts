/** `12.3 s` */
export const seconds = (ms: number, unit = ' s') => `${Math.round(ms / 100) / 10}${unit}`
