/** What EVENT-SEARCH reports about a valid search that the target refuses. */
export interface SearchViolation {
  readonly request: string
  readonly actual: string
}
