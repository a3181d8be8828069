export { AssetCache } from './asset-cache.ts'
export { absolute } from './browser-exchange.ts'
export type { ClaimPage } from './claim-page.ts'
export { type ClaimRecipe, loadClaimRecipe } from './claim-recipe.ts'
export { DirectRequests } from './direct-navigation.ts'
export {
  type Failed,
  failedBy,
  JourneyFailure,
  type Landing,
  parseDestination,
  type Redirect,
} from './landing.ts'
export {
  hasScreen,
  type LaunchedBrowser,
  type LaunchOptions,
  launchBrowser,
  loadPlaywright,
} from './launch.ts'
export { wasOneTimePassword } from './one-time-password.ts'
export type { JourneyStep, StepInput } from './page-actions.ts'
export {
  type LoginRecipe,
  loadLoginRecipe,
  type RecipeLocator,
  type RecipeStep,
  type SequenceName,
} from './recipe.ts'
export { describeLocator, locate } from './recipe-steps.ts'
export { saveScreenshot } from './screenshot.ts'
export {
  type Agent,
  type AuthorizeOptions,
  type ManualLoginEnd,
  type OpenAgent,
  UserAgent,
  type UserAgentOptions,
} from './user-agent.ts'
export type { Act } from './wait-for-prompt.ts'
export { type BrowserWindow, newWindows, type Windows } from './windows.ts'
