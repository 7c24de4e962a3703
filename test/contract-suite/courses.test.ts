/** Relations of copies, of positions, of spans of time, of what a kind of caller does not see, and of what can be created only once its owner is ready. */
import { fileURLToPath } from 'node:url';
import { test } from '@jest/globals';
import { entryOf, schemeEntry } from '../../contract/dimensions/credential-scheme.ts';
import { loadDocument } from '../../contract/document/index.ts';
import { eachRun } from '../support/contract.ts';
import { describedServer, expectFailed, type Reply } from '../support/planted-faults.ts';

const run = eachRun();
const [teacher, student] = [schemeEntry('teacher'), schemeEntry('student')];
const secrets = {
  ...{ [teacher]: 'own-teacher', [entryOf('other', teacher)]: 'other-teacher' },
  ...{ [student]: 'own-student', [entryOf('other', student)]: 'other-student' },
};
const api = await loadDocument(fileURLToPath(new URL('./documents/courses.yaml', import.meta.url)));

type Part = { id: string; course: string };
type Lesson = Part & { title: string };
type Enrolment = Part & { student: string };
type Course = { id: string; of: string; title: string; level: string; status: string; copied_from: string | null };
type Session = { id: string; of: string; starts_at: string; ends_at: string; status: string };
type Sent = Pick<Session, 'starts_at' | 'ends_at'> & {
  title: string;
  level: string;
  student: string;
  position: number;
};

/** How a server does what the mutants do otherwise. */
const right = {
  isSeenByStudents: ({ status }: Course) => status !== 'draft',
  opened: 'in_progress',
  mayEnrol: ({ status }: Course) => status === 'in_progress',
  copyOf: ({ title, level }: Course) => ({ title, level }),
  copiedFrom: (source: Course) => source.id,
  lessonsOfCopy: (all: Lesson[]) => all,
  copiesEnrolments: false,
  movesLessons: false,
  place: (position: number) => position - 1,
  removes: (all: Lesson[], at: number) => all.toSpliced(at, 1),
  positionOf: (at: number) => at + 1,
  timeOf: (text: string): number | string => Date.parse(text),
  overlap: <Time>(start: Time, end: Time, from: Time, to: Time) => start < to && from < end,
  isTaken: ({ status }: Session) => status === 'booked',
};

function courseServer(wrong: Partial<typeof right>) {
  const ways = { ...right, ...wrong };
  const [courses, enrolments, sessions]: [Course[], Enrolment[], Session[]] = [[], [], []];
  let lessons: Lesson[] = [];
  const newId = (prefix: string) => `${prefix}_${crypto.randomUUID().slice(0, 8)}`;
  const lessonsOf = ({ id }: Course) => lessons.filter(({ course }) => course === id);
  const setLessons = ({ id }: Course, all: Lesson[]) => {
    lessons = [...lessons.filter(({ course }) => course !== id), ...all];
  };
  const shown = ({ of: _of, ...each }: Course) => each;
  const shownLesson = ({ id, title }: Lesson, at: number) => ({ id, title, position: ways.positionOf(at) });
  const shownEnrolment = ({ course: _course, ...each }: Enrolment) => each;
  const added = (of: string, given: Partial<Course>): Course => {
    courses.push({ id: newId('crs'), of, title: '', level: '', status: 'draft', copied_from: null, ...given });
    return courses.at(-1) as Course;
  };

  const ofCourse: Record<string, (course: Course, sent: Sent, part: string) => Reply> = {
    getCourse: (course) => [200, shown(course)],
    openCourse: (course) =>
      course.status === 'draft' ? [200, shown(Object.assign(course, { status: ways.opened }))] : [409],
    copyCourse(course) {
      const copy = added(course.of, { ...ways.copyOf(course), copied_from: ways.copiedFrom(course) });
      const copies = ways
        .lessonsOfCopy(lessonsOf(course))
        .map((each) => ({ ...each, id: newId('les'), course: copy.id }));
      setLessons(copy, copies);
      if (ways.movesLessons) setLessons(course, []);
      for (const each of ways.copiesEnrolments ? enrolments.filter(({ course: id }) => id === course.id) : [])
        enrolments.push({ ...each, id: newId('enr'), course: copy.id });
      return [201, shown(copy)];
    },
    listLessons: (course) => [200, lessonsOf(course).map(shownLesson)],
    addLesson(course, { title }) {
      const all = [...lessonsOf(course), { id: newId('les'), course: course.id, title }];
      setLessons(course, all);
      return [201, all.map(shownLesson).at(-1)];
    },
    getLesson: (course, _sent, part) => [
      200,
      lessonsOf(course)
        .map(shownLesson)
        .find(({ id }) => id === part),
    ],
    removeLesson(course, _sent, part) {
      const all = lessonsOf(course);
      setLessons(
        course,
        ways.removes(
          all,
          all.findIndex(({ id }) => id === part),
        ),
      );
      return [204];
    },
    moveLesson(course, { position }, part) {
      const [moved, others] = [
        lessons.find(({ id }) => id === part),
        lessonsOf(course).filter(({ id }) => id !== part),
      ];
      setLessons(course, others.toSpliced(ways.place(position), 0, moved as Lesson));
      return [
        200,
        lessonsOf(course)
          .map(shownLesson)
          .find(({ id }) => id === part),
      ];
    },
    listEnrolments: ({ id }) => [200, enrolments.filter(({ course }) => course === id).map(shownEnrolment)],
    addEnrolment(course, { student: name }) {
      if (!ways.mayEnrol(course)) return [409];
      enrolments.push({ id: newId('enr'), course: course.id, student: name });
      return [201, enrolments.slice(-1).map(shownEnrolment)[0]];
    },
    getEnrolment: (_course, _sent, part) => [200, enrolments.filter(({ id }) => id === part).map(shownEnrolment)[0]],
  };

  const shownSession = ({ of: _of, ...each }: Session) => each;
  const ofSession: Record<string, (of: string, sent: Sent, session: Session | undefined) => Reply> = {
    listSessions: (of) => [200, sessions.filter((each) => each.of === of).map(shownSession)],
    addSession(of, { starts_at: starts, ends_at: ends }) {
      if (Date.parse(starts) >= Date.parse(ends)) return [422];
      const times = ({ starts_at: start, ends_at: end }: Pick<Session, 'starts_at' | 'ends_at'>) =>
        [ways.timeOf(start), ways.timeOf(end)] as const;
      const own = sessions.filter((each) => each.of === of && ways.isTaken(each));
      if (own.some((each) => ways.overlap(...times({ starts_at: starts, ends_at: ends }), ...times(each))))
        return [409];
      sessions.push({ id: newId('ses'), of, starts_at: starts, ends_at: ends, status: 'booked' });
      return [201, sessions.slice(-1).map(shownSession)[0]];
    },
    getSession: (_of, _sent, session) => (session ? [200, shownSession(session)] : [404]),
    cancelSession: (_of, _sent, session) => {
      if (!session) return [404];
      return session.status === 'booked' ? [200, shownSession(Object.assign(session, { status: 'cancelled' }))] : [409];
    },
  };

  return describedServer(api, ({ operationId, id, part, sent: given, headers, faults: [fault] }) => {
    const sent = given as Sent;
    const [, asTeacher] = /^Bearer (own|other)-teacher$/.exec(headers.authorization ?? '') ?? [];
    const [, asStudent] = /^(own|other)-student$/.exec(String(headers['x-student-key'])) ?? [];
    const of = asTeacher ?? (operationId === 'listCourses' ? asStudent : undefined);
    if (of === undefined) return [401];
    const isSeen = (each: Course) => each.of === of && (asTeacher !== undefined || ways.isSeenByStudents(each));
    if (operationId === 'listCourses') return [200, courses.filter(isSeen).map(shown)];
    if (fault) return [422];
    const session = sessions.find((each) => each.id === id && each.of === of);
    if (ofSession[operationId]) return ofSession[operationId](of, sent, session);
    if (operationId === 'addCourse') return [201, shown(added(of, { title: sent.title, level: sent.level }))];
    const course = courses.find((each) => each.id === id && isSeen(each));
    const parts = [...lessons, ...enrolments].filter((each) => each.course === id);
    const isThere = part === '' || parts.some((each) => each.id === part);
    return (course && isThere && ofCourse[operationId]?.(course, sent, part)) || [404];
  });
}

test.each<[title: string, wrong: Partial<typeof right>, failed: string[]]>([
  ['conforms', {}, []],
  ['shows drafts to students', { isSeenByStudents: () => true }, ['listCourses.unseen']],
  ['opens nothing', { opened: 'draft' }, ['openCourse.acted']],
  ['enrols in drafts', { mayEnrol: () => true }, ['openCourse.acted']],
  ['copies no level', { copyOf: ({ title }) => ({ title, level: 'beginner' }) }, ['copyCourse.copied']],
  ['names no source', { copiedFrom: () => 'crs_00000000' }, ['copyCourse.copied']],
  ['copies one lesson', { lessonsOfCopy: (all) => all.slice(0, 1) }, ['copyCourse.copied']],
  ['copies lessons backwards', { lessonsOfCopy: (all) => all.toReversed() }, ['copyCourse.copied']],
  ['takes the lessons of the source', { movesLessons: true }, ['copyCourse.copied']],
  ['copies enrolments', { copiesEnrolments: true }, ['copyCourse.copied']],
  ['moves a lesson too far', { place: (position) => position }, ['addLesson.positions']],
  ['removes the first one', { removes: (all) => all.slice(1) }, ['removeLesson.removed']],
  [
    'books within another',
    { overlap: (start, end, from, to) => start <= from && end > from && end <= to },
    ['addSession.overlapping'],
  ],
  ['compares times as texts', { timeOf: (text) => text }, ['addSession.overlapping']],
  ['lets nothing touch', { overlap: (start, end, from, to) => start <= to && from <= end }, ['addSession.overlapping']],
  ['never frees', { isTaken: () => true }, ['addSession.overlapping']],
  ['counts positions from 0 and then from 2', { positionOf: (at) => (at === 0 ? 0 : at + 1) }, ['addLesson.positions']],
])('a server that %s', async (_title, wrong, failed) => {
  await expectFailed(await run.serve(courseServer(wrong)), api, failed, secrets);
});
