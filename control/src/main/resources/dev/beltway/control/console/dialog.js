// Asks before something is done. What destroys or removes asks for a name to be typed.
import { html, render, nothing } from './lib/lit-html.js'
import { t } from './text.js'

/** Resolves to true if the person agrees. With a name, it must be typed. */
export function confirm (title, text, { name = null, action, danger = false }) {
  return new Promise((resolve) => {
    const dialog = document.createElement('dialog')
    dialog.setAttribute('aria-labelledby', 'dialog-title')
    document.body.append(dialog)
    let typed = ''
    const draw = () => render(html`
      <form method="dialog" @submit=${(event) => { if (name && typed !== name) event.preventDefault() }}>
        <h2 id="dialog-title">${title}</h2>
        <p>${text}</p>
        ${name
          ? html`<label class="field"><span>${t('Type the name to go on')}: <strong>${name}</strong></span>
              <input id="typed-name" autocomplete="off" spellcheck="false"
                @input=${(event) => { typed = event.target.value; draw() }}></label>`
          : nothing}
        <p class="row">
          <button type="button" @click=${() => dialog.close('no')}>${t('Cancel')}</button>
          <button class=${danger ? 'danger' : 'main'} id="dialog-go" value="yes" ?disabled=${name !== null && typed !== name}>${action}</button>
        </p>
      </form>`, dialog)
    draw()
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue === 'yes')
    })
    dialog.showModal()
  })
}
