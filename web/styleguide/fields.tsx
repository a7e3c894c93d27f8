import { Choice } from '#web/parts/controls/choice.tsx'
import { DropZone } from '#web/parts/controls/drop-zone.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { Select } from '#web/parts/controls/select.tsx'
import { Switch } from '#web/parts/controls/switch.tsx'
import { TextArea } from '#web/parts/controls/text-area.tsx'
import { arabic, longText, Section, Specimen } from './section.tsx'

const nothing = () => undefined

export function Fields() {
  return (
    <Section title="Fields">
      <Specimen name="Text field: pristine, filled, invalid, disabled, optional">
        <TextField hint="Letters, digits and dashes" label="Site name" placeholder="portfolio" />
        <TextField defaultValue="portfolio" label="Address" suffix=".sites.example" />
        <TextField defaultValue="ab" label="Address" problem="Use 3 to 63 characters." />
        <TextField defaultValue="alice.test" disabled label="Your handle" prefix="@" />
        <TextField isOptional label="Message" />
      </Specimen>
      <Specimen name="Text field: long, right to left">
        <TextField defaultValue={longText} label={longText} suffix=".sites.example" />
        <TextField defaultValue={arabic} dir="auto" label={arabic} />
      </Specimen>
      <Specimen name="Text area">
        <TextArea hint="One rule a line" label="Rules" />
        <TextArea defaultValue="x" label="Rules" problem="Line 1: expected 2 or 3 words, got 1." />
      </Specimen>
      <Specimen name="Select">
        <Select choices={['index.html', 'app.html']} label="Page" none="None" />
        <Select choices={[longText]} label="Page" problem="This file is gone." />
        <Select choices={['one']} disabled label="Page" />
      </Specimen>
      <Specimen name="Choice">
        <Choice label="Off" type="checkbox" />
        <Choice defaultChecked hint="/about shows about.html" label="On" type="checkbox" />
        <Choice defaultChecked label="One" name="sample" type="radio" />
        <Choice hint={longText} label="The other" name="sample" type="radio" />
        <Choice disabled label="Disabled" type="checkbox" />
      </Specimen>
      <Specimen name="Switch">
        <Switch label="Off" />
        <Switch defaultChecked hint="Only where you are signed in" label="On" />
        <Switch disabled label="Disabled" />
      </Specimen>
      <Specimen isWide name="Drop zone">
        <DropZone onChoose={nothing} onDrop={nothing} />
      </Specimen>
      <Specimen isWide name="Drop zone: reading">
        <DropZone isBusy onChoose={nothing} onDrop={nothing} title="Drop a new version" />
      </Specimen>
    </Section>
  )
}
