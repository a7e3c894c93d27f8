import type { LucideIcon } from 'lucide-react'
import {
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  type ToggleEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import iconStyles from '#web/parts/controls/icon-button.module.css'
import { Icon } from '#web/parts/icon.tsx'
import { Link } from '#web/shell/routing/link.tsx'
import styles from './menu.module.css'
import { placeBelow } from './place-below.ts'

interface MenuProps {
  /** Of the button, for screen readers. */
  readonly label: string
  /** In the button. */
  readonly button: ReactNode
  /** Without one, the button is as square as an icon button. */
  readonly buttonClass?: string | undefined
  /** Which edges of button and menu meet. */
  readonly align?: 'start' | 'end'
  /** Of the button. */
  readonly tabIndex?: number
  readonly children: ReactNode
}

/** A button that opens a list of links and actions: a popover, which Escape and a press elsewhere close. */
export function Menu(props: MenuProps) {
  const { label, button, buttonClass, align = 'end', tabIndex, children } = props
  const id = useId()
  const opener = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (!isOpen) return
    // A press that scrolled its button into view is followed by this event: the list stays with the button.
    const follow = () => placeBelow(opener.current, list.current, align)
    addEventListener('scroll', follow, { passive: true })
    addEventListener('resize', follow)
    return () => {
      removeEventListener('scroll', follow)
      removeEventListener('resize', follow)
    }
  }, [align, isOpen])
  const open = ({ newState }: ToggleEvent) => {
    if (newState !== 'open') return
    setOpen(true)
    placeBelow(opener.current, list.current, align)
  }
  return (
    <>
      <button
        aria-expanded={isOpen}
        aria-label={label}
        className={buttonClass ?? iconStyles['button']}
        popoverTarget={id}
        ref={opener}
        tabIndex={tabIndex}
        type="button"
      >
        {button}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrow keys are an addition to Tab. */}
      <div
        className={styles['menu']}
        id={id}
        onBeforeToggle={open}
        onClick={(event) => isItem(event.target) && list.current?.hidePopover()}
        onKeyDown={moveFocus}
        // Not before: what has the focus must be there when the browser gives it back to the button.
        onToggle={({ newState }) => newState === 'closed' && setOpen(false)}
        popover="auto"
        ref={list}
      >
        {isOpen && children}
      </div>
    </>
  )
}

/** Choices keep the menu open, so that one sees what was chosen. */
const isItem = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('a, button:not([aria-pressed])') !== null

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
  const step = steps[event.key]
  if (step === undefined) return
  event.preventDefault()
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('a, button')]
  const at = items.indexOf(document.activeElement as HTMLElement)
  items[(at + step + items.length) % items.length]?.focus()
}

interface ItemProps {
  readonly icon?: LucideIcon
  readonly children: ReactNode
}

export function MenuLink({ icon, children, ...link }: ItemProps & ComponentProps<typeof Link>) {
  return (
    <Link {...link} className={styles['item']}>
      {icon !== undefined && <Icon of={icon} />}
      <span>{children}</span>
    </Link>
  )
}

interface MenuButtonProps extends ItemProps, Omit<ComponentProps<'button'>, 'children'> {
  readonly isDestructive?: boolean
}

export function MenuButton({ icon, children, isDestructive, ...button }: MenuButtonProps) {
  return (
    <button
      {...button}
      className={styles['item']}
      data-destructive={isDestructive || undefined}
      type="button"
    >
      {icon !== undefined && <Icon of={icon} />}
      <span>{children}</span>
    </button>
  )
}

/** A part of a menu, with a line above it. */
export function MenuGroup({ label, children }: { label?: string; children: ReactNode }) {
  return (
    <fieldset className={styles['group']}>
      <legend className={label === undefined ? 'visually-hidden' : styles['label']}>{label}</legend>
      {children}
    </fieldset>
  )
}
