import { openApp } from './open-app.tsx'

await openApp()
