# Sourced by run.sh: a Slurm of one node in a folder, for the time of a test.
#
# slurm_up FOLDER starts munged, slurmctld and slurmd and waits until the node takes jobs; it fails
# and has the cause in slurm_why if it doesn't come up. slurm_down ends what it started.

slurm_pids=() slurm_why=

# A port without a listener now.
free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

slurm_write_config() {
	local at=$1 host=$2
	dd if=/dev/urandom of="$at/munge.key" bs=1024 count=1 2>/dev/null
	chmod 400 "$at/munge.key"
	cat >"$at/slurm.conf" <<-END
		ClusterName=cyclops
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=$(free_port)
		SlurmdPort=$(free_port)
		SlurmUser=$(id -un)
		SlurmdUser=$(id -un)
		AuthType=auth/munge
		AuthInfo=socket=$at/munge.socket
		CredType=cred/munge
		StateSaveLocation=$at/state
		SlurmdSpoolDir=$at/spool
		SlurmctldPidFile=$at/slurmctld.pid
		SlurmdPidFile=$at/slurmd.pid
		SlurmctldLogFile=$at/slurmctld.log
		SlurmdLogFile=$at/slurmd.log
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		SchedulerParameters=sched_interval=1
		ReturnToService=2
		MpiDefault=none
		SwitchType=switch/none
		NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
		PartitionName=test Nodes=$host Default=YES MaxTime=INFINITE State=UP
	END
}

# Waits until COMMAND succeeds, for at most 20 s.
slurm_wait() {
	local i
	for ((i = 0; i < 200; i++)); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.1
	done
	return 1
}

slurm_idle() { [ "$(sinfo -h -o %t 2>/dev/null)" = idle ]; }

slurm_up() {
	local at=$1 host program
	host=$(hostname -s)
	for program in munged slurmctld slurmd sbatch sinfo python3; do
		PATH=$PATH:/usr/sbin command -v $program >/dev/null ||
			{ slurm_why="$program is not installed"; return 1; }
	done
	[ "$(id -u)" = 0 ] || { slurm_why="slurmd wants to be root"; return 1; }
	mkdir -p "$at/state" "$at/spool"
	chmod 755 "$at"
	slurm_write_config "$at" "$host"
	export SLURM_CONF=$at/slurm.conf
	/usr/sbin/munged --foreground --force --key-file="$at/munge.key" \
		--socket="$at/munge.socket" --num-threads=1 \
		--pid-file="$at/munged.pid" --log-file="$at/munged.log" \
		--seed-file="$at/munge.seed" >"$at/munged.out" 2>&1 &
	slurm_pids+=($!)
	slurm_wait munge -n -S "$at/munge.socket" ||
		{ slurm_why="munged: $(tail -n 1 "$at/munged.out")"; return 1; }
	/usr/sbin/slurmctld -D -f "$at/slurm.conf" >"$at/slurmctld.out" 2>&1 &
	slurm_pids+=($!)
	/usr/sbin/slurmd -D -N "$host" -f "$at/slurm.conf" >"$at/slurmd.out" 2>&1 &
	slurm_pids+=($!)
	slurm_wait slurm_idle && return 0
	slurm_why="no idle node; slurmctld: $(grep -h error "$at/slurmctld.log" | tail -n 1); slurmd: $(grep -h error "$at/slurmd.log" | tail -n 1)"
	return 1
}

slurm_down() {
	local i
	for ((i = ${#slurm_pids[@]} - 1; i >= 0; i--)); do
		kill "${slurm_pids[i]}" 2>/dev/null
		wait "${slurm_pids[i]}" 2>/dev/null
	done
	slurm_pids=()
}
