/** Relations of copies, of positions, of spans of time, of what a kind of caller does not see, and of what can be created only once its owner is ready. */
import { fileURLToPath } from 'node:url';
import { entryOf, schemeEntry } from '../../contract/dimensions/credential-scheme.ts';
import { loadDocument } from '../../contract/document/index.ts';
import { testFaults } from '../support/planted-faults.ts';
import type { Behaviour } from '../support/resource-server.ts';

const [teacher, student] = [schemeEntry('teacher'), schemeEntry('student')];
const secrets = {
  ...{ [teacher]: 'own-teacher', [entryOf('other', teacher)]: 'other-teacher' },
  ...{ [student]: 'own-student', [entryOf('other', student)]: 'other-student' },
};
const api = await loadDocument(fileURLToPath(new URL('./documents/courses.yaml', import.meta.url)));

type Course = Record<'id' | 'title' | 'level' | 'status', string> & { copied_from: string | null };
type Session = { starts_at: string; ends_at: string; status: string };
type Fields = Course & Session & { student: string; position: number };

/** How a server does what the mutants do otherwise. */
const right = {
  isSeenByStudents: ({ status }: Course) => status !== 'draft',
  opened: 'in_progress',
  mayEnrol: ({ status }: Course) => status === 'in_progress',
  copyOf: ({ title, level }: Course) => ({ title, level }),
  copiedFrom: (source: Course) => source.id,
  lessonsOfCopy: (all: Fields[]) => all,
  copiesEnrolments: false,
  movesLessons: false,
  place: (position: number) => position - 1,
  removes: (all: Fields[], at: number) => all.toSpliced(at, 1),
  positionOf: (at: number) => at + 1,
  timeOf: (text: string): number | string => Date.parse(text),
  overlap: <Time>(start: Time, end: Time, from: Time, to: Time) => start < to && from < end,
  isTaken: ({ status }: Session) => status === 'booked',
};

function behaviour(ways: typeof right): Behaviour<Fields> {
  return {
    caller({ authorization = '', 'x-student-key': byStudent }, { operationId }) {
      const [, asTeacher] = /^Bearer (own|other)-teacher$/.exec(authorization) ?? [];
      const [, asStudent] = /^(own|other)-student$/.exec(String(byStudent)) ?? [];
      return asTeacher ?? (operationId === 'listCourses' ? asStudent : undefined) ?? 401;
    },
    kinds: {
      courses: {
        initial: () => ({ status: 'draft', copied_from: null }),
        isSeen: (each, { headers }, isOwn) =>
          isOwn && (headers.authorization !== undefined || ways.isSeenByStudents(each)),
      },
      lessons: {
        shown: (each, { owner, all }) => ({ ...each, position: ways.positionOf(all('lessons', owner).indexOf(each)) }),
      },
      enrolments: { refused: (_fields, { item }) => (ways.mayEnrol(item) ? undefined : 409) },
      sessions: {
        initial: () => ({ status: 'booked' }),
        refused({ starts_at: starts, ends_at: ends }, { all }) {
          if (Date.parse(starts) >= Date.parse(ends)) return 422;
          const [start, end] = [ways.timeOf(starts), ways.timeOf(ends)];
          const overlaps = (each: Session) =>
            ways.isTaken(each) && ways.overlap(start, end, ways.timeOf(each.starts_at), ways.timeOf(each.ends_at));
          return all('sessions').some(overlaps) ? 409 : undefined;
        },
      },
    },
    acts: {
      openCourse: ({ item }) => (item.status === 'draft' ? Object.assign(item, { status: ways.opened }) : 409),
      copyCourse({ item, all, create, remove }) {
        const lessons = all('lessons', item);
        const copy = create('courses', { ...ways.copyOf(item), copied_from: ways.copiedFrom(item) });
        for (const { title } of ways.lessonsOfCopy(lessons)) create('lessons', { title }, copy);
        if (ways.movesLessons) lessons.forEach(remove);
        for (const { student: name } of ways.copiesEnrolments ? all('enrolments', item) : [])
          create('enrolments', { student: name }, copy);
        return copy;
      },
      removeLesson({ owner, item, all, remove }) {
        const lessons = all('lessons', owner);
        const kept = ways.removes(lessons, lessons.indexOf(item));
        for (const each of lessons) if (!kept.includes(each)) remove(each);
        return 204;
      },
      moveLesson({ owner, item, sent: { position }, all, create, remove, find }) {
        const others = all('lessons', owner).filter((each) => each !== item);
        for (const each of others.toSpliced(ways.place(position), 0, item)) {
          remove(each);
          create('lessons', each, owner);
        }
        return find('lessons', item.id) ?? 404;
      },
      cancelSession: ({ item }) => (item.status === 'booked' ? Object.assign(item, { status: 'cancelled' }) : 409),
    },
  };
}

testFaults(
  api,
  right,
  behaviour,
  [
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
    [
      'lets nothing touch',
      { overlap: (start, end, from, to) => start <= to && from <= end },
      ['addSession.overlapping'],
    ],
    ['never frees', { isTaken: () => true }, ['addSession.overlapping']],
    [
      'counts positions from 0 and then from 2',
      { positionOf: (at) => (at === 0 ? 0 : at + 1) },
      ['addLesson.positions'],
    ],
  ],
  secrets,
);
