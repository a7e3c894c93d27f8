import type { Choices } from './parts/filter-bar.tsx'

/** Of which part of the service. */
export const services: Choices = {
  name: 'service',
  label: 'Service',
  choices: [
    ['main-app', 'main-app'],
    ['hosting-service', 'hosting-service'],
  ],
}
