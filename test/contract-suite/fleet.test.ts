/** Relations of what hinders an operation, of one at a time, of meters, formulas, secrets, searches of several fields, and orders of what has no value. */
import { test } from '@jest/globals';
import { eachRun } from '../support/contract.ts';
import { describedServer, expectFailed, type Reply } from '../support/planted-faults.ts';
import { apiIn } from '../unit/document/fixture.ts';

const run = eachRun();

const api = apiIn(`
/depots:
  post:
    operationId: addDepot
    requestBody: { $ref: '#/components/requestBodies/Depot' }
    responses: { 201: { $ref: '#/components/responses/Depot' }, 422: { description: Invalid } }
/depots/{depot_id}:
  parameters: [{ $ref: '#/components/parameters/Depot' }]
  get: { operationId: getDepot, responses: { 200: { $ref: '#/components/responses/Depot' }, 404: { description: None } } }
  delete:
    operationId: removeDepot
    responses: { 204: { description: Removed }, 404: { description: None }, 409: { description: The depot still has vehicles } }
/vehicles:
  get:
    operationId: listVehicles
    responses:
      200: { description: They, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Vehicle' } } } } }
  post:
    operationId: addVehicle
    requestBody:
      required: true
      content:
        application/json:
          schema: { $ref: '#/components/schemas/NewVehicle' }
          example: { vin: WDB123456, depot_id: dep_00000000, pin: '2580' }
    responses: { 201: { $ref: '#/components/responses/Vehicle' }, 422: { description: Invalid } }
/vehicles/{vehicle_id}:
  parameters: [{ $ref: '#/components/parameters/Vehicle' }]
  get: { operationId: getVehicle, responses: { 200: { $ref: '#/components/responses/Vehicle' }, 404: { description: None } } }
  delete:
    operationId: removeVehicle
    description: Removes the vehicle with all of its jobs.
    responses: { 204: { description: Removed }, 404: { description: None }, 409: { description: The vehicle has open jobs } }
/vehicles/{vehicle_id}/retire:
  parameters: [{ $ref: '#/components/parameters/Vehicle' }]
  post:
    operationId: retireVehicle
    responses:
      200: { $ref: '#/components/responses/Vehicle' }
      404: { description: None }
      409: { description: The vehicle has open jobs }
/vehicles/{vehicle_id}/readings:
  parameters: [{ $ref: '#/components/parameters/Vehicle' }]
  get:
    operationId: listReadings
    responses:
      200: { $ref: '#/components/responses/Readings' }
      404: { description: None }
  post:
    operationId: addReading
    requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/NewReading' } } } }
    responses:
      201: { description: It, content: { application/json: { schema: { $ref: '#/components/schemas/Reading' } } } }
      404: { description: None }
      409: { description: The odometer would run backwards }
      422: { description: Invalid }
/readings/bulk:
  post:
    operationId: addReadings
    description: Adds several readings, all or none.
    requestBody:
      required: true
      content:
        application/json:
          schema:
            type: object
            required: [readings]
            properties:
              readings:
                type: array
                minItems: 1
                maxItems: 50
                items:
                  type: object
                  required: [vehicle_id, km]
                  properties: { vehicle_id: { type: string }, km: { $ref: '#/components/schemas/Km' } }
    responses:
      201: { $ref: '#/components/responses/Readings' }
      409: { description: An odometer would run backwards }
      422: { description: 'Invalid, or there is no such vehicle' }
/jobs:
  get:
    operationId: listJobs
    parameters:
      - { name: q, in: query, schema: { type: string, minLength: 1 }, description: 'Those whose title or note has this text, without regard to case.' }
      - name: sort
        in: query
        schema: { type: string, enum: [due_on, -due_on] }
        description: Those without a date come last in both directions.
    responses:
      200: { description: They, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Job' } } } } }
      422: { description: Invalid }
  post:
    operationId: addJob
    requestBody:
      required: true
      content:
        application/json:
          schema: { $ref: '#/components/schemas/NewJob' }
          example: { vehicle_id: veh_00000000, title: Wipers, note: Both, due_on: '2025-07-01', parts: [{ quantity: 2, cents: 450 }, { quantity: 1, cents: 90 }] }
    responses: { 201: { $ref: '#/components/responses/Job' }, 422: { description: 'Invalid, or there is no such vehicle' } }
/jobs/{job_id}:
  parameters: [{ $ref: '#/components/parameters/Job' }]
  get: { operationId: getJob, responses: { 200: { $ref: '#/components/responses/Job' }, 404: { description: None } } }
/jobs/{job_id}/start:
  parameters: [{ $ref: '#/components/parameters/Job' }]
  post:
    operationId: startJob
    responses:
      200: { $ref: '#/components/responses/Job' }
      404: { description: None }
      409: { description: 'The job is not planned, or another job of the vehicle is in progress' }
/jobs/{job_id}/cancel:
  parameters: [{ $ref: '#/components/parameters/Job' }]
  post:
    operationId: cancelJob
    requestBody:
      required: true
      content: { application/json: { schema: { type: object, required: [reason], properties: { reason: { type: string, minLength: 1, maxLength: 80 } } } } }
    responses: { 200: { $ref: '#/components/responses/Job' }, 404: { description: None }, 409: { description: The job is cancelled }, 422: { description: Invalid } }
/summary:
  get:
    operationId: getSummary
    responses:
      200:
        description: It
        content:
          application/json:
            schema:
              type: object
              properties:
                jobs:
                  type: object
                  properties:
                    undated: { type: integer, description: Jobs without a date. }
                    owed_cents: { type: integer, description: The sum of total_cents of all jobs. }
components:
  parameters:
    Depot: { name: depot_id, in: path, required: true, schema: { type: string, pattern: '^dep_[0-9a-f]{8}$' } }
    Vehicle: { name: vehicle_id, in: path, required: true, schema: { type: string, pattern: '^veh_[0-9a-f]{8}$' } }
    Job: { name: job_id, in: path, required: true, schema: { type: string, pattern: '^job_[0-9a-f]{8}$' } }
  requestBodies:
    Depot: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/NewDepot' } } } }
  responses:
    Depot: { description: It, content: { application/json: { schema: { $ref: '#/components/schemas/Depot' } } } }
    Vehicle: { description: It, content: { application/json: { schema: { $ref: '#/components/schemas/Vehicle' } } } }
    Job: { description: It, content: { application/json: { schema: { $ref: '#/components/schemas/Job' } } } }
    Readings:
      description: They
      content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Reading' } } } }
  schemas:
    Km: { type: integer, minimum: 0, maximum: 2000000, example: 16250 }
    NewDepot:
      type: object
      required: [name]
      properties: { name: { type: string, minLength: 1, maxLength: 80 }, time_zone: { type: string, default: Europe/Berlin, description: An IANA time zone. } }
    Depot:
      type: object
      required: [id, name, time_zone]
      properties: { id: { type: string }, name: { type: string }, time_zone: { type: string } }
    NewVehicle:
      type: object
      required: [vin, depot_id]
      properties:
        vin: { type: string, pattern: '^[A-HJ-NPR-Z0-9]{9}$' }
        depot_id: { type: string, description: An existing depot. }
        pin: { type: string, pattern: '^[0-9]{4}$', writeOnly: true }
    Vehicle:
      type: object
      required: [id, vin, depot_id, has_pin, status]
      properties:
        id: { type: string }
        vin: { type: string }
        depot_id: { type: string }
        has_pin: { type: boolean, readOnly: true }
        status: { type: string, enum: [active, retired] }
    NewReading: { type: object, required: [km], properties: { km: { $ref: '#/components/schemas/Km' } } }
    Reading:
      type: object
      required: [id, vehicle_id, km]
      properties: { id: { type: string }, vehicle_id: { type: string }, km: { type: integer } }
    NewJob:
      type: object
      required: [vehicle_id, title, parts]
      properties:
        vehicle_id: { type: string, description: An existing vehicle. }
        title: { type: string, minLength: 1, maxLength: 80 }
        note: { type: string, nullable: true, maxLength: 80 }
        due_on: { type: string, format: date, nullable: true }
        parts: { type: array, maxItems: 9, items: { $ref: '#/components/schemas/Part' } }
    Part:
      type: object
      required: [quantity, cents]
      properties: { quantity: { type: integer, minimum: 1, maximum: 90 }, cents: { type: integer, minimum: 0, maximum: 9000 } }
    Job:
      type: object
      required: [id, vehicle_id, title, note, due_on, parts, fee, parts_cents, total_cents, state, cancel_reason]
      properties:
        id: { type: string }
        vehicle_id: { type: string }
        title: { type: string }
        note: { type: string, nullable: true }
        due_on: { type: string, format: date, nullable: true }
        parts: { type: array, items: { $ref: '#/components/schemas/Part' } }
        fee: { type: integer }
        parts_cents: { type: integer, description: The sum of \`quantity\` × \`cents\` of all parts. }
        total_cents: { type: integer, description: '\`parts_cents\` plus \`fee\`.' }
        state: { type: string, enum: [planned, in_progress, cancelled] }
        cancel_reason: { type: string, nullable: true }
`);

type Vehicle = { id: string; vin: string; depot_id: string; pin?: string; status: string };
type Reading = { id: string; vehicle_id: string; km: number };
type Part = { quantity: number; cents: number };
type Job = Record<'id' | 'vehicle_id' | 'title' | 'state', string> & {
  parts: Part[];
  cancel_reason: string | null;
} & Record<'note' | 'due_on', string | null>;
type Dated = Partial<Pick<Job, 'note' | 'due_on'>>;
type Named = { name: string; time_zone?: string; reason: string; readings: Reading[] };
type Sent = Vehicle & Reading & Omit<Job, keyof Dated> & Dated & Named;

const isOpen = ({ state }: Job) => state !== 'cancelled';

/** How a server does what the mutants do otherwise. */
const right = {
  isUsed: (depot: string, vehicle: Vehicle) => vehicle.depot_id === depot,
  mayRetire: (open: number): boolean => open === 0,
  mayStart: (others: number): boolean => others === 0,
  keptJobs: (_ofVehicle: Job[]): Job[] => [],
  taken: (reason: string): string | null => reason,
  sum: (parts: Part[]) => parts.reduce((total, { quantity, cents }) => total + quantity * cents, 0),
  total: (parts: number, fee: number) => parts + fee,
  searched: ({ title, note }: Job) => `${title} ${note}`,
  rank: (due: string | null, sign: number) => due ?? (sign > 0 ? '9999' : ''),
  addsSome: false,
  isOwed: (_job: Job) => true,
  shownInList: ({ pin: _pin, ...vehicle }: Vehicle & { has_pin: boolean }): object => vehicle,
};

function fleetServer(wrong: Partial<typeof right>) {
  const ways = { ...right, ...wrong };
  const depots: { id: string }[] = [];
  let vehicles: Vehicle[] = [];
  let jobs: Job[] = [];
  const readings: Reading[] = [];
  const newId = (prefix: string) => `${prefix}_${crypto.randomUUID().slice(0, 8)}`;
  const seen = (vehicle: Vehicle) => ({ ...vehicle, has_pin: vehicle.pin !== undefined });
  const shownVehicle = (vehicle: Vehicle) => right.shownInList(seen(vehicle));
  const shownJob = (job: Job) => {
    const [parts, fee] = [ways.sum(job.parts), 500];
    return { ...job, fee, parts_cents: parts, total_cents: ways.total(parts, fee) };
  };
  const mayRead = ({ vehicle_id: of, km }: Reading, all: Reading[]) =>
    all.every((each) => each.vehicle_id !== of || each.km < km);
  const jobsOf = ({ id }: Vehicle) => jobs.filter((each) => each.vehicle_id === id);

  const ofVehicle: Record<string, (vehicle: Vehicle, sent: Sent) => Reply> = {
    getVehicle: (vehicle) => [200, shownVehicle(vehicle)],
    removeVehicle(vehicle) {
      const own = jobsOf(vehicle);
      if (own.some(isOpen)) return [409];
      jobs = [...jobs.filter((each) => !own.includes(each)), ...ways.keptJobs(own)];
      vehicles = vehicles.filter((each) => each !== vehicle);
      return [204];
    },
    retireVehicle(vehicle) {
      if (!ways.mayRetire(jobsOf(vehicle).filter(isOpen).length)) return [409];
      return [200, shownVehicle(Object.assign(vehicle, { status: 'retired' }))];
    },
    listReadings: ({ id }) => [200, readings.filter((each) => each.vehicle_id === id)],
    addReading({ id: of }, { km }) {
      const reading = { id: newId('rea'), vehicle_id: of, km };
      if (!mayRead(reading, readings)) return [409];
      readings.push(reading);
      return [201, reading];
    },
  };
  const ofJob: Record<string, (job: Job, sent: Sent) => Reply> = {
    getJob: (job) => [200, shownJob(job)],
    startJob(job) {
      const others = jobs.filter((each) => each.vehicle_id === job.vehicle_id && each.state === 'in_progress');
      if (job.state !== 'planned' || !ways.mayStart(others.length)) return [409];
      return [200, shownJob(Object.assign(job, { state: 'in_progress' }))];
    },
    cancelJob(job, { reason }) {
      if (!isOpen(job)) return [409];
      return [200, shownJob(Object.assign(job, { state: 'cancelled', cancel_reason: ways.taken(reason) }))];
    },
  };
  const ofAll: Record<string, (sent: Sent, query: URLSearchParams) => Reply> = {
    getSummary() {
      const owed = jobs.filter((each) => ways.isOwed(each)).map((each) => shownJob(each).total_cents);
      const undated = jobs.filter((each) => each.due_on === null).length;
      return [200, { jobs: { undated, owed_cents: owed.reduce((total, cents) => total + cents, 0) } }];
    },
    addDepot({ name, time_zone: zone = 'Europe/Berlin' }) {
      if (!/^[A-Z]\w+\/\w+$/.test(zone)) return [422];
      depots.push({ id: newId('dep'), ...{ name, time_zone: zone } });
      return [201, depots.at(-1)];
    },
    listVehicles: () => [200, vehicles.map((each) => ways.shownInList(seen(each)))],
    addVehicle({ vin, depot_id: depot, pin }) {
      if (!depots.some(({ id }) => id === depot)) return [422];
      const vehicle = { id: newId('veh'), vin, depot_id: depot, ...(pin !== undefined && { pin }), status: 'active' };
      vehicles.push(vehicle);
      return [201, shownVehicle(vehicle)];
    },
    addReadings({ readings: all }) {
      const added: Reading[] = [];
      for (const { vehicle_id: of, km } of all) {
        const reading = { id: newId('rea'), vehicle_id: of, km };
        const isKnown = vehicles.some(({ id }) => id === of);
        if (!isKnown || !mayRead(reading, [...readings, ...added])) {
          if (ways.addsSome) readings.push(...added);
          return [isKnown ? 409 : 422];
        }
        added.push(reading);
      }
      readings.push(...added);
      return [201, added];
    },
    listJobs(_sent, query) {
      const [text, sort] = [query.get('q')?.toLowerCase() ?? '', query.get('sort')];
      const found = jobs.filter((each) => ways.searched(each).toLowerCase().includes(text));
      const sign = sort?.startsWith('-') === true ? -1 : 1;
      const rankOf = (each: Job) => ways.rank(each.due_on, sign);
      const sorted = found.toSorted((one, other) => sign * rankOf(one).localeCompare(rankOf(other), 'en'));
      return [200, (sort === null ? found : sorted).map(shownJob)];
    },
    addJob({ vehicle_id: of, title, note = null, due_on: due = null, parts }) {
      if (!vehicles.some(({ id }) => id === of)) return [422];
      const job = { id: newId('job'), vehicle_id: of, title, note, due_on: due, parts };
      jobs.push({ ...job, state: 'planned', cancel_reason: null });
      return [201, shownJob(jobs.at(-1) as Job)];
    },
  };

  return describedServer(api, ({ operationId, id, query, sent: given, faults: [fault] }) => {
    const sent = given as unknown as Sent;
    if (fault) return [fault.parameter?.in === 'path' ? 404 : 422];
    const depot = depots.find((each) => each.id === id);
    if (depot && operationId === 'removeDepot') {
      if (vehicles.some((each) => ways.isUsed(id, each))) return [409];
      depots.splice(depots.indexOf(depot), 1);
      return [204];
    }
    if (depot) return [200, depot];
    const [vehicle, job] = [vehicles.find((each) => each.id === id), jobs.find((each) => each.id === id)];
    const ofOne = vehicle ? ofVehicle[operationId]?.(vehicle, sent) : job && ofJob[operationId]?.(job, sent);
    return ofOne ?? ofAll[operationId]?.(sent, query) ?? [404];
  });
}

test.each<[title: string, wrong: Partial<typeof right>, failed: string[]]>([
  ['conforms', {}, []],
  ['removes a depot that has vehicles', { isUsed: () => false }, ['removeDepot.removed']],
  ['retires a vehicle that has open jobs', { mayRetire: () => true }, ['retireVehicle.acted']],
  ['starts two jobs of a vehicle', { mayStart: () => true }, ['startJob.acted']],
  ['keeps the jobs of a vehicle that is gone', { keptJobs: (all) => all }, ['removeVehicle.removed']],
  ['loses a reason', { taken: () => null }, ['cancelJob.acted']],
  ['adds up one part alone', { sum: (parts) => right.sum(parts.slice(0, 1)) }, ['addJob.created']],
  ['leaves the fee out', { total: (parts) => parts }, ['addJob.created']],
  ['searches titles alone', { searched: ({ title }) => title }, ['listJobs.filtered.q']],
  ['has those without a date first', { rank: (due) => due ?? '' }, ['listJobs.sorted']],
  ['owes nothing for a cancelled job', { isOwed: isOpen }, ['getSummary.aggregated']],
  ['adds some of several', { addsSome: true }, ['addReadings.several']],
  ['lists secrets', { shownInList: (vehicle) => vehicle }, ['addVehicle.created']],
])('a server that %s', async (_title, wrong, failed) => {
  await expectFailed(await run.serve(fleetServer(wrong)), api, failed);
});
