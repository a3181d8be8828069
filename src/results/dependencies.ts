/**
 * Everything that can be reached from some nodes, each once: a node comes before those behind it, and these before its
 * siblings. Nodes may depend on each other.
 * @param behind what a node leads to
 */
export function reached<Node>(start: readonly Node[], behind: (node: Node) => readonly Node[]): Node[] {
  const found = new Set<Node>()
  const visit = (node: Node): void => {
    if (found.has(node)) return
    found.add(node)
    behind(node).forEach(visit)
  }
  start.forEach(visit)
  return [...found]
}

/**
 * Candidates that follow from known ids, directly or through each other, in the order in which this is found.
 * @param follows whether a candidate follows from ids: the known ones, and those of the candidates found so far
 */
export function followersFrom<Candidate extends { readonly id: string }>(
  known: Iterable<string>,
  candidates: readonly Candidate[],
  follows: (candidate: Candidate, from: ReadonlySet<string>) => boolean,
): Candidate[] {
  const from = new Set(known)
  const found: Candidate[] = []
  // A candidate may follow from a later one.
  for (let before = -1; before < found.length; ) {
    before = found.length
    for (const candidate of candidates) {
      if (from.has(candidate.id) || !follows(candidate, from)) continue
      from.add(candidate.id)
      found.push(candidate)
    }
  }
  return found
}
