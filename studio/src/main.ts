// Boots the page: the line to the engine, the store, the picture and the panels around it.
import { App } from './app';
import type { Frame } from './connection/frames';
import { hear } from './connection/hear';
import { Socket } from './connection/socket';
import { watchTyping } from './dom';
import { layOut } from './panels/layout';
import { haveLeft } from './panels/view_panel';
import { poseStageOf } from './posing/pose_stage';

const root = document.getElementById('app')!;
const app: App = new App((message) => socket.send(message));
const socket = new Socket(app.token, {
    message: (message) => hear(app, message),
    frame: see,
    answer: (answer) => app.requests.heardArrays(answer),
    connection: (connection) => {
        if (connection !== 'connected') {
            app.edits.clear();
            app.requests.clear();
        }
        app.set('connection', connection);
    },
});

/** Nothing of the scene has been shown yet: the first frame decides where it is looked at from. */
let unseen = true;
app.on('fresh', () => {
    unseen = true;
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) app.send({ type: 'play', playing: false });
});

/** Bodies of the scene; one that comes is brought into the picture. */
let bodies = 0, arrived = false;
app.on('scene', (scene) => {
    const now = scene?.bodies.length ?? 0;
    if (now > bodies && bodies === 0) unseen = true;
    else if (now > bodies) arrived = true;
    bodies = now;
});

app.on('document', (document) => {
    app.viewport.water.set(document?.content.medium);
    app.viewport.draw();
});

function see(frame: Frame): void {
    if (frame.shapes) return app.viewport.setShapes(frame);
    app.viewport.setFrame(frame);
    app.shownTime = frame.time;
    if (unseen) {
        unseen = false;
        app.viewport.frameScene();
        if (haveLeft(app)) app.viewport.frameBodies();  // before this page came
    } else if (arrived) {
        app.viewport.frameBodies();
    }
    arrived = false;
    app.frames.shown(frame.frame);
}

watchTyping(document);
const toolbox = layOut(app, root, new URLSearchParams(location.search).get('quality'));

let drawnBefore = 0;
setInterval(() => {
    app.drawnPerSecond = app.viewport.painter.drawnFrames - drawnBefore;
    drawnBefore = app.viewport.painter.drawnFrames;
}, 1000);

socket.open();
void fetch('/scene.schema.json').then((answer) => answer.json()).then((schema) => {
    app.set('schema', schema);
    if (app.document) app.set('document', app.document);
});

// For tests and the curious: what the page knows.
Object.assign(window, { studio: { app, toolbox, socket, frames: () => app.frames.received, shownFrame: () => app.frames.now, poses: poseStageOf(app) } });
