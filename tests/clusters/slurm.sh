# A cluster of two nodes on this machine, for tests: munged, slurmctld and two slurmd, all with files, ports and logs of
# their own. Sourced; start_slurm FOLDER, start_node NAME, stop_slurm.

slurm_processes=()

# A port that nobody listens on.
free_port() {
    local port
    for ((port = 20000 + RANDOM % 20000; ; ++port)); do
        (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null || { echo "$port"; return; }
    done
}

write_slurm_conf() {
    local user control first second
    user=$(id -un) control=$(free_port) first=$(free_port) second=$(free_port)
    cat > "$1/slurm.conf" <<CONF
ClusterName=yawara
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthInfo=socket=$1/munge.socket
SlurmctldPort=$control
SlurmctldPidFile=$1/slurmctld.pid
SlurmctldLogFile=$1/slurmctld.log
SlurmdPidFile=$1/slurmd-%n.pid
SlurmdLogFile=$1/slurmd-%n.log
SlurmdSpoolDir=$1/spool-%n
StateSaveLocation=$1/state
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SlurmdTimeout=10
KillWait=2
ReturnToService=2
SchedulerParameters=sched_interval=2,batch_sched_delay=0,sched_min_interval=0,requeue_delay=1
NodeName=first NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$first CPUs=2 State=UNKNOWN
NodeName=second NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$second CPUs=2 State=UNKNOWN
PartitionName=all Nodes=first,second Default=YES MaxTime=INFINITE State=UP
CONF
}

# start_node NAME: its process is in $node_NAME.
start_node() {
    slurmd -D -N "$1" &
    slurm_processes+=($!)
    declare -g "node_$1=$!"
}

# start_slurm FOLDER: succeeds when both nodes can be used.
start_slurm() {
    local folder=$1 tries
    mkdir -p "$folder/state" "$folder/spool-first" "$folder/spool-second"
    export SLURM_CONF=$folder/slurm.conf
    write_slurm_conf "$folder"
    head -c 1024 /dev/urandom > "$folder/munge.key"
    chmod 600 "$folder/munge.key"
    munged --foreground --force --socket="$folder/munge.socket" --key-file="$folder/munge.key" \
        --pid-file="$folder/munge.pid" --log-file="$folder/munge.log" --seed-file="$folder/munge.seed" 2> "$folder/munge.err" &
    slurm_processes+=($!)
    for ((tries = 0; tries < 100; ++tries)); do [[ -S $folder/munge.socket ]] && break; sleep 0.1; done
    slurmctld -D 2> "$folder/slurmctld.err" &
    slurm_processes+=($!)
    start_node first 2> "$folder/first.err"
    start_node second 2> "$folder/second.err"
    for ((tries = 0; tries < 300; ++tries)); do
        [[ $(sinfo -h -N -t idle -o %N 2> /dev/null | sort -u | wc -l) == 2 ]] && return
        sleep 0.2
    done
    tail -n 5 "$folder"/*.log "$folder"/*.err >&2
    return 1
}

stop_slurm() {
    ((${#slurm_processes[@]})) || return 0
    kill "${slurm_processes[@]}" 2> /dev/null
    wait "${slurm_processes[@]}" 2> /dev/null
    slurm_processes=()
}
