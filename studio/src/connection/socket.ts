// The line to the engine: texts and frames, tried again and again when it is cut, and not when the engine refuses.
import type { Connection } from '../app';
import type { ClientMessage, ServerMessage } from '../protocol/messages';
import { type BinaryAnswer, type Frame, isAnswer, readAnswer, readFrame } from './frames';

export interface Listener {
    message(message: ServerMessage): void;
    frame(frame: Frame): void;
    answer(answer: BinaryAnswer): void;
    connection(connection: Connection): void;
}

const full = 1013;  // RFC 6455: try again later

export class Socket {
    private socket: WebSocket | null = null;
    private wait = 300;

    constructor(private readonly token: string, private readonly listener: Listener) {}

    open(): void {
        const socket = new WebSocket(`ws://${location.host}/stream?token=${encodeURIComponent(this.token)}`);
        socket.binaryType = 'arraybuffer';
        this.socket = socket;
        socket.onopen = () => {
            this.wait = 300;
            this.listener.connection('connected');
        };
        socket.onmessage = ({ data }) => {
            if (typeof data === 'string') return this.listener.message(JSON.parse(data) as ServerMessage);
            if (isAnswer(data as ArrayBuffer)) return this.listener.answer(readAnswer(data as ArrayBuffer));
            const frame = readFrame(data as ArrayBuffer);
            try {
                this.listener.frame(frame);
            } finally {
                if (!frame.shapes) this.send({ type: 'seen', sequence: frame.sequence });
            }
        };
        socket.onclose = ({ code }) => { if (this.socket === socket) void this.closed(code); };
    }

    private async closed(code: number): Promise<void> {
        const refused = code !== full && (await this.isRefused());
        this.listener.connection(refused ? 'refused' : code === full ? 'full' : 'cut');
        if (refused) return;  // the same address will not do later either
        setTimeout(() => this.open(), code === full ? 3000 : this.wait);
        this.wait = Math.min(this.wait * 1.5, 3000);
    }

    /** The engine is there and does not take the token of this address. */
    private async isRefused(): Promise<boolean> {
        try {
            return (await fetch(`/whoami?token=${encodeURIComponent(this.token)}`)).status === 403;
        } catch {
            return false;
        }
    }

    /** False if there is no line just now: what is not heard is not kept. */
    send(message: ClientMessage): boolean {
        if (this.socket?.readyState !== WebSocket.OPEN) return false;
        this.socket.send(JSON.stringify(message));
        return true;
    }
}
