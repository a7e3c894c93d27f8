import { Section, Specimen } from './section.tsx'
import styles from './styleguide-page.module.css'

const colours = [
  ...['paper', 'surface', 'sunken', 'line', 'edge', 'ink', 'ink-soft'],
  ...['accent', 'accent-strong', 'accent-tint', 'danger', 'danger-tint'],
  ...['warn', 'warn-tint', 'info', 'info-tint'],
]

const levels = ['display', 'title', 'section', 'card', 'prose', 'body', 'secondary', 'meta']

export function Foundations() {
  return (
    <Section title="Foundations">
      <Specimen name="Colours">
        {colours.map((name) => (
          <span className={styles['swatch']} key={name}>
            <svg aria-hidden="true">
              <rect fill={`var(--${name})`} height="100%" width="100%" />
            </svg>
            {name}
          </span>
        ))}
      </Specimen>
      <Specimen isWide name="Type">
        {levels.map((level) => (
          <p className={styles['level']} data-level={level} key={level}>
            Live in seconds · {level}
          </p>
        ))}
        <p>
          <code>s--abcdefghijklmnopqrstuvwxyz.sites.example 0123456789</code>
        </p>
      </Specimen>
    </Section>
  )
}
