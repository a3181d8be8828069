/** At most `most` of the values, evenly taken. */
export function evenly<Value>(values: readonly Value[], most: number): Value[] {
  if (values.length <= most) return [...values]
  return Array.from(
    { length: most },
    (_, index) => values[Math.round((index * (values.length - 1)) / (most - 1))],
  ).filter((value) => value !== undefined)
}

/** The first values of which none is near to another, at most `most`. */
export function firstApart<Value>(
  values: readonly Value[],
  isNear: (one: Value, other: Value) => boolean,
  most: number,
): Value[] {
  const chosen: Value[] = []
  for (const value of values) {
    if (chosen.length < most && !chosen.some((other) => isNear(value, other))) chosen.push(value)
  }
  return chosen
}
