// Adds to Allure's page: names of buttons with only an icon, and links to the other pages.
const names = new Map([
  ['tree-arrow', 'Open or close'],
  ['tree-subtree-toggle', 'Open or close with all below'],
  ['toggle-layout-button', 'Change the layout'],
  ['test-result-nav-prev', 'Previous check'],
  ['test-result-nav-next', 'Next check'],
  ['test-result-steps-subtree-toggle', 'Open or close all steps'],
  ['test-result-step-arrow-button', 'Open or close the step'],
])
const matrixLink = '[data-testid="test-result-meta-link"]'

let waiting = false

const complete = () => {
  waiting = false
  for (const button of document.querySelectorAll('#app button:not([aria-label])')) {
    if (button.textContent.trim() !== '') continue
    const afterLayout = button.previousElementSibling?.getAttribute('data-testid') === 'toggle-layout-button'
    const unnamed = button.querySelector('svg[viewBox="0 0 12 12"]') ? 'Open or close' : 'Copy'
    const name =
      names.get(button.getAttribute('data-testid') ?? '') ?? (afterLayout ? 'Change the colours' : unnamed)
    button.setAttribute('aria-label', name)
  }
  // Allure shows a link to an address without a host as text. `follow` opens this address.
  for (const link of document.querySelectorAll(`${matrixLink}:not([role])`)) {
    link.setAttribute('role', 'link')
    link.setAttribute('tabindex', '0')
  }
}

/** @param {Event} event */
const follow = (event) => {
  const link = event.target instanceof Element ? event.target.closest(matrixLink) : null
  const [, requirement] = /^(\S+) on the page Requirements$/.exec(link?.textContent.trim() ?? '') ?? []
  if (requirement !== undefined) location.href = `requirements.html#${requirement}`
}

// When the page opens, Allure scrolls down to the first row of its tree. Undo this until the user has acted.
let touched = location.hash !== ''
for (const type of ['keydown', 'pointerdown', 'touchstart', 'wheel'])
  addEventListener(type, () => (touched = true), { capture: true, once: true, passive: true })
document.addEventListener(
  'scroll',
  ({ target }) => {
    if (!touched && target instanceof Element) target.scrollTop = 0
  },
  true,
)

document.addEventListener('click', follow)
document.addEventListener('keydown', (event) => {
  if (event.key === 'Enter') follow(event)
})
new MutationObserver(() => {
  if (!waiting) requestAnimationFrame(complete)
  waiting = true
}).observe(document.body, { childList: true, subtree: true })
