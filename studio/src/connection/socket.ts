// The line to the engine: texts and frames, tried again and again when it is cut.
import type { ClientMessage, ServerMessage } from '../protocol/messages';
import { type Frame, readFrame } from './frames';

export interface Listener {
    message(message: ServerMessage): void;
    frame(frame: Frame): void;
    /** connected, or cut and trying. */
    connected(yes: boolean): void;
}

export class Socket {
    private socket: WebSocket | null = null;
    private wait = 300;

    constructor(private readonly address: string, private readonly listener: Listener) {}

    open(): void {
        const socket = new WebSocket(this.address);
        socket.binaryType = 'arraybuffer';
        this.socket = socket;
        socket.onopen = () => {
            this.wait = 300;
            this.listener.connected(true);
        };
        socket.onmessage = ({ data }) => {
            if (typeof data === 'string') return this.listener.message(JSON.parse(data) as ServerMessage);
            const frame = readFrame(data as ArrayBuffer);
            try {
                this.listener.frame(frame);
            } finally {
                if (!frame.shapes) this.send({ type: 'seen', sequence: frame.sequence });
            }
        };
        socket.onclose = () => {
            if (this.socket !== socket) return;
            this.listener.connected(false);
            setTimeout(() => this.open(), this.wait);
            this.wait = Math.min(this.wait * 1.5, 3000);
        };
    }

    /** False if there is no line just now: what is not heard is not kept. */
    send(message: ClientMessage): boolean {
        if (this.socket?.readyState !== WebSocket.OPEN) return false;
        this.socket.send(JSON.stringify(message));
        return true;
    }
}
